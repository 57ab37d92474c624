/** Texts of the pages about API keys. */

export const metadata = "Metadata";
export const scopes = "Scopes";
export const allScopes = "all";
export const unlimited = "The key may do everything that its owner may do.";
export const noScopes = "None: the key may do nothing.";
export const created = "Created";
export const lastUsed = "Last used";
export const keyOf = (user: string) => `API key of ${user}`;
export const key = "Key";
export const everyOwner = "all users";
export const noneFound = "No API keys found";
export const noneFoundStep = "Create a key, or clear the filter.";
export const mayNotList = "You may create API keys, but not list them.";

export const deleted = "The key is deleted";
export const disabled = "The key is disabled";
export const enabled = "The key is enabled";
export const changed = "The key is changed";
export const changeTitle = "Change the key";
export const deleteTitle = "Delete this key?";
export const deleteWarning = "Clients that use it are refused from then on.";

export const createTitle = "Create an API key";
export const createdTitle = "API key created";
export const shownOnce = "Copy the key now: it cannot be shown again.";
export const copy = "Copy";
export const copied = "The key is copied.";
export const done = "Done";

export const userField = "Owner of the key. Default: you.";
export const metadataField = "Who uses the key, and what for.";
export const expiryField = "Time when the key expires, such as 2031-03-04T00:00:00Z. Default: never.";
export const scopesField = "The only permissions that the key may use. Default: all permissions of its owner.";
