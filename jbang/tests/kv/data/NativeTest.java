package kv.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class NativeTest {

    private final ByteBuffer block =
            ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).putLong(0, 0x0102030405L);
    private final long address = Native.address(block);

    @Test
    void whatIsAtAnAddressIsWhatIsInTheBuffer() {
        assertEquals(0x0102030405L, Native.longAt(address));
        assertEquals(block.get(3), Native.byteAt(address + 3));
        Native.copy(address, address + 8, 8);
        assertEquals(0x0102030405L, block.getLong(8));
    }

    @Test
    void aCopyStaysWithinItsArray() {
        byte[] array = new byte[4];
        Native.copy(address, array, 1, 2);
        assertArrayEquals(new byte[] {0, block.get(0), block.get(1), 0}, array);
        assertThrows(
                IndexOutOfBoundsException.class, () -> Native.copy(address, new byte[4], 1, 4));
    }

    @Test
    void aWindowShowsWhatItIsAimedAt() {
        ByteBuffer window = Native.window();
        window = Native.aim(window, address + 2, 3);
        assertEquals(3, window.remaining());
        assertEquals(block.get(2), window.get());
        assertEquals(2, Native.aim(window, address, 2).remaining(), "from its beginning again");
        assertEquals(block.get(0), window.get(0));
    }
}
