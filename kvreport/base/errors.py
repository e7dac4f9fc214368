"""What the user is told, in place of a stack trace, when something he can put right is wrong."""


class UserError(Exception):
    """One clear sentence: what is wrong and what to do. The command line prints it and exits with
    2.
    """
