import { arrayOf, defineSchema, jsonObject, mapOf, nullable, object, oneOf, text, whole } from "../../http/openapi/schema.ts";

const example = { url: "https://packs.example.org/index.json", packs: 2, message: "Success.", error: null };

const statusSchema = defineSchema(
	"PackIndexStatus",
	object({ url: text, packs: whole, message: text, error: nullable(oneOf("unresponsive", "malformed", "empty")) }),
	example,
);

/** Wire schema of the packs of all indexes, by name, with the result of reading each index. */
export const indexSchema = defineSchema("PackIndex", object({ status: arrayOf(statusSchema), index: mapOf(jsonObject) }), {
	status: [example],
	index: { disk: { name: "disk", version: "1.4.0", repo_url: "https://git.example.org/disk.git" } },
});

/** Wire schema of the health of the indexes. */
export const indexHealthSchema = defineSchema(
	"PackIndexHealth",
	object({
		indexes: object({ count: whole, valid: whole, invalid: whole, errors: mapOf(whole), status: arrayOf(statusSchema) }),
		packs: object({ count: whole }),
	}),
	{ indexes: { count: 1, valid: 1, invalid: 0, errors: {}, status: [example] }, packs: { count: 2 } },
);

/** Wire schema of search results: a list for a word, an entry for a name. */
export const searchSchema = defineSchema("PackIndexSearch", { anyOf: [arrayOf(jsonObject), jsonObject] }, [
	{ name: "disk", version: "1.4.0", repo_url: "https://git.example.org/disk.git" },
]);
