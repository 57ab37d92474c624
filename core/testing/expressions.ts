import { type Expressions, SvcError } from "../contract/index.ts";
import { createExpressions } from "../language/expressions/expressions.ts";

/** Datastore items for tests, by the keys that `svckv` uses: `system.name`, or `name` for the user's own items. */
export type TestItems = Readonly<Record<string, string | { readonly secret: string }>>;

/**
 * Creates an evaluator of expressions that reads the given datastore items. A secret item is `{ secret: "clear text" }`. Expressions read
 * it as ciphertext, and get the clear text when they decrypt it.
 */
export function createTestExpressions(items: TestItems = {}): Expressions {
	const find = (key: string) => (Object.hasOwn(items, key) ? items[key] : undefined);
	return createExpressions({
		datastore: {
			async lookup(scope, name) {
				const key = scope === "system" ? `system.${name}` : name;
				const item = find(key);
				return typeof item === "object" ? `cipher text of ${key}` : item;
			},
			async decrypt(cipherText) {
				const item = find(cipherText.replace(/^cipher text of /, ""));
				if (typeof item !== "object" || !cipherText.startsWith("cipher text of "))
					throw new SvcError("SVC_INVALID", "the value is not a ciphertext");
				return item.secret;
			},
		},
	});
}
