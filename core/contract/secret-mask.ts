/** String that replaces a secret wherever its value must not be shown. It is the same for secrets of all types. */
export const secretMask = "********";
