/** Texts of the pages about the datastore. */

export const scopes = { system: "System", user: "Your items" } as const;
export const tabs = "Scopes of the datastore";
export const items = "Items";
export const value = "Value";
export const secret = "Secret";
export const isSecret = "secret";
export const scope = "Scope";
export const systemScope = "system";
export const prefix = "Name begins with";
export const ownHint = "your own";
export const noneYet = "There are no items in this scope";
export const noneYetStep = "Create one here, or with `svc key set NAME VALUE`.";
export const noneFound = "No item matches";

export const createTitle = "Create an item";
export const saved = "The item is saved";
export const deleted = "The item is deleted";
export const deleteWarning = "Actions and templates that read this item will not find it.";
export const secretField = "Store the value encrypted, and show it masked.";
export const expiryField = "Seconds until the item expires. Default: never.";
export const secretValueField = "The current secret is not shown: enter it again.";
export const storedEncrypted = "yes, stored encrypted";
export const show = "Show";
export const hide = "Hide";
