"""What a user reads in place of a stack trace when something is wrong that he can put right."""


class UserError(Exception):
    """One clear sentence: what is wrong and what to do. The command line prints it and exits with
    2.
    """
