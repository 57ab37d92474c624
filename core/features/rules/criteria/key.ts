import type { JsonObject, JsonValue } from "../../../contract/index.ts";
import { toErrorMessage } from "../../../contract/index.ts";
import { TemplateError } from "../../../language/templates/errors.ts";
import { parseJsonPath } from "../../../language/templates/json-path.ts";

/** Name of what criteria look at: the payload of a trigger instance or, inside `search`, an item. */
export type Root = "trigger" | "item";

/** Finds what a key stands for; null when it is missing. `TemplateError` when the key cannot be read. */
export type KeyReader = (root: JsonObject) => JsonValue;

/** Compile a key. One that cannot be read is reported when it is used, as criteria of the reference are. */
export function compileKey(key: string, root: Root): KeyReader {
	// What follows is a tag, with which one attribute can be tested more than once.
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
