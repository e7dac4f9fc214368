package families;

import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import org.mapdb.DataInput2;
import org.mapdb.DataOutput2;
import org.mapdb.serializer.GroupSerializer;

/**
 * Byte arrays of one known size, in unsigned order. A node's are kept end to end in one array, as
 * MapDB's own serializers of fixed-size types do; its BYTE_ARRAY makes an array of each whenever a
 * node is read.
 */
public record FixedBytes(int width) implements GroupSerializer<byte[]> {

    @Override
    public boolean isTrusted() {
        return true; // reads no more than it wrote
    }

    @Override
    public int compare(byte[] a, byte[] b) {
        return Arrays.compareUnsigned(a, b);
    }

    @Override
    public void serialize(DataOutput2 out, byte[] value) throws IOException {
        out.write(value);
    }

    @Override
    public byte[] deserialize(DataInput2 in, int available) throws IOException {
        return read(in, width);
    }

    private static byte[] read(DataInput2 in, int bytes) throws IOException {
        byte[] read = new byte[bytes];
        in.readFully(read);
        return read;
    }

    @Override
    public int valueArraySearch(Object group, byte[] key) {
        int low = 0;
        int high = valueArraySize(group) - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = Arrays.compareUnsigned(
                    (byte[]) group, middle * width, (middle + 1) * width, key, 0, width);
            if (order == 0) {
                return middle;
            } else if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -(low + 1);
    }

    @Override
    public int valueArraySearch(
            Object group, byte[] key, @SuppressWarnings("rawtypes") Comparator comparator) {
        return valueArraySearch(group, key); // the comparator is this serializer
    }

    @Override
    public void valueArraySerialize(DataOutput2 out, Object group) throws IOException {
        out.write((byte[]) group);
    }

    @Override
    public Object valueArrayDeserialize(DataInput2 in, int size) throws IOException {
        return read(in, size * width);
    }

    @Override
    public byte[] valueArrayBinaryGet(DataInput2 in, int size, int index) throws IOException {
        in.skipBytes(index * width);
        return read(in, width);
    }

    @Override
    public byte[] valueArrayGet(Object group, int index) {
        return Arrays.copyOfRange((byte[]) group, index * width, (index + 1) * width);
    }

    @Override
    public int valueArraySize(Object group) {
        return ((byte[]) group).length / width;
    }

    @Override
    public Object valueArrayEmpty() {
        return new byte[0];
    }

    @Override
    public Object valueArrayPut(Object group, int index, byte[] value) {
        byte[] old = (byte[]) group;
        byte[] longer = Arrays.copyOf(old, old.length + width);
        System.arraycopy(
                old, index * width, longer, (index + 1) * width, old.length - index * width);
        System.arraycopy(value, 0, longer, index * width, width);
        return longer;
    }

    @Override
    public Object valueArrayUpdateVal(Object group, int index, byte[] value) {
        byte[] changed = ((byte[]) group).clone();
        System.arraycopy(value, 0, changed, index * width, width);
        return changed;
    }

    @Override
    public Object valueArrayFromArray(Object[] values) {
        byte[] group = new byte[values.length * width];
        for (int i = 0; i < values.length; i++) {
            System.arraycopy(values[i], 0, group, i * width, width);
        }
        return group;
    }

    @Override
    public Object valueArrayCopyOfRange(Object group, int from, int to) {
        return Arrays.copyOfRange((byte[]) group, from * width, to * width);
    }

    @Override
    public Object valueArrayDeleteValue(Object group, int end) {
        // MapDB's own remove the value before this index
        byte[] old = (byte[]) group;
        byte[] shorter = Arrays.copyOf(old, old.length - width);
        System.arraycopy(old, end * width, shorter, (end - 1) * width, old.length - end * width);
        return shorter;
    }
}
