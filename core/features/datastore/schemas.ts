import { keyValueKind } from "../../contract/entities/key-value.ts";
import { arrayOf, defineSchema, fieldsOf, flag, object, text, whole } from "../../http/openapi/schema.ts";

const optional = ["user", "description", "expire_timestamp"] as const;

/** Schema of a datastore item in the API. */
export const itemSchema = defineSchema(
	"KeyValuePair",
	object({ ...fieldsOf(keyValueKind, ["id", "name", "value", "secret", "scope", ...optional]), uid: text, encrypted: flag }, optional),
	{
		id: "66a1e0019d3e4b7a51c000d0",
		uid: "key_value_pair:svckv.system:limit",
		name: "limit",
		value: "90",
		secret: false,
		encrypted: false,
		scope: "svckv.system",
	},
);

/** Schema of the report on a rotation of the datastore key. */
export const rotationSchema = defineSchema(
	"Rotation",
	object({ key_id: text, added: flag, reencrypted: whole, unreadable: whole, forgotten: arrayOf(text) }),
	{ key_id: "3f2a", added: true, reencrypted: 12, unreadable: 0, forgotten: [] },
);
