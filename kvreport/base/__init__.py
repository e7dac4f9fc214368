"""What every room uses: the project's folders, errors of one sentence, whole files, words."""
