import { type Expressions, SvcError } from "../contract/index.ts";
import { createExpressions } from "../language/expressions/expressions.ts";

/** Datastore items for tests, by the keys that `svckv` uses: `system.name`, or `name` for the user's own items. */
export type TestItems = Readonly<Record<string, string | { readonly secret: string }>>;

/**
 * Creates the expressions of a run over the given datastore items. A secret item is `{ secret: "clear text" }`. It is read as ciphertext,
 * and as clear text when decrypted.
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
					throw new SvcError("SVC_INVALID", "the value is no cipher text");
				return item.secret;
			},
		},
	});
}
