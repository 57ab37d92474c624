/** Text that replaces a secret wherever its value must not be shown, whatever the type of the secret is. */
export const secretMask = "********";
