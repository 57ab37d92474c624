import { keyValueKind } from "../../contract/entities/key-value.ts";
import { arrayOf, defineSchema, fieldsOf, flag, object, text, whole } from "../../http/openapi/schema.ts";

const optional = ["user", "description", "expire_timestamp"] as const;

/** A datastore item on the wire. */
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

/** What an exchange of the datastore key has done. */
export const rotationSchema = defineSchema(
	"Rotation",
	object({ key_id: text, added: flag, reencrypted: whole, unreadable: whole, forgotten: arrayOf(text) }),
	{ key_id: "3f2a", added: true, reencrypted: 12, unreadable: 0, forgotten: [] },
);
