import { type JsonObject, type JsonValue, toErrorMessage } from "../../../contract/index.ts";
import { TemplateError } from "../../../language/templates/errors.ts";
import { parseJsonPath } from "../../../language/templates/json-path.ts";

/** Name of the value that criteria test: the payload of a trigger instance or, within `search`, an item. */
export type Root = "trigger" | "item";

/** Returns the value of a key; null if it is missing. Throws `TemplateError` if the key is invalid. */
export type KeyReader = (root: JsonObject) => JsonValue;

/** Compiles a key. An invalid key throws only when it is used, so that the error belongs to the evaluation of an event. */
export function compileKey(key: string, root: Root): KeyReader {
	// A key may end with `#` and a tag, so that criteria can test one attribute more than once.
	const [text = ""] = key.split("#");
	try {
		const path = parseJsonPath(text);
		return path.startsWithMember(root) ? (values) => path.first(values) ?? null : () => null;
	} catch (error) {
		const problem = new TemplateError(`transforming the criteria key failed: ${toErrorMessage(error)}`);
		return () => {
			throw problem;
		};
	}
}
