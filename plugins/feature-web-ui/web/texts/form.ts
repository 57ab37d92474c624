/** Texts of the forms for the values of a schema. */

export const required = " required";
export const unchanged = "unchanged";
export const notSet = "not set";
export const theDefault = "the default";
export const moreFields = "More";

const jsonTypes: Readonly<Record<string, string>> = { array: "an array", object: "an object" };
export const asJson = (type: string) => `As JSON: ${jsonTypes[type] ?? type}.`;
export const jsonOrText = "JSON or text.";
export const minimum = (value: number) => `At least ${value}.`;
export const maximum = (value: number) => `At most ${value}.`;
export const secretKept = "Not shown. Leave the field empty to keep the current value.";
export const defaultValue = (value: string) => `Default: ${value}`;

export const missing = (name: string) => `${name} is required.`;
export const notRemovable = (name: string) => `${name} cannot be removed: enter a value.`;
export const notNumber = (name: string) => `${name} must be a number.`;
export const notInteger = (name: string) => `${name} must be a whole number.`;
const jsonExamples: Readonly<Record<string, string>> = { array: ', such as ["one", "two"]', object: ', such as {"name": "value"}' };
export const notJson = (name: string, type: string) => `${name} must be JSON${jsonExamples[type] ?? ""}.`;
