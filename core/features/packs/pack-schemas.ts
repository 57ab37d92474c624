import { packKind } from "../../contract/entities/pack.ts";
import { arrayOf, defineSchema, fieldsOf, jsonObject, jsonValue, nullable, object, text, timestamp } from "../../http/openapi/schema.ts";
import { followedState } from "./install-schemas.ts";

const members = {
	...fieldsOf(packKind, ["id", "ref", "name", "description", "version", "author", "path", "content"]),
	uid: text,
	keywords: arrayOf(jsonValue),
	svc_version: text,
	python_versions: arrayOf(jsonValue),
	email: text,
	contributors: arrayOf(jsonValue),
	dependencies: arrayOf(jsonValue),
	files: arrayOf(text),
	system: jsonObject,
	source: jsonObject,
	installation: jsonObject,
	followed: object({ source: text, state: followedState, commit: nullable(text), reason: nullable(text), checked_at: timestamp }),
};
const absent = ["svc_version", "email", "path", "content", "source", "installation", "followed"];
/** Manifests may have additional members. */
const additional = { additionalProperties: jsonValue };

/** Wire schema of a pack. */
export const packSchema = defineSchema(
	"Pack",
	{ ...object(members, absent), ...additional },
	{
		id: "66a1e0019d3e4b7a51c00003",
		uid: "pack:disk",
		ref: "disk",
		name: "disk",
		description: "Volume care.",
		keywords: ["storage"],
		version: "1.4.0",
		author: "Storage team",
		email: "storage@example.org",
		contributors: [],
		python_versions: ["3"],
		files: ["pack.yaml", "actions/sweep.yaml", "actions/sweep.sh", "rules/on_alert.yaml"],
		path: "/opt/svc/packs/disk",
		dependencies: [],
		system: {},
	},
);

export const packPart = defineSchema("PackPart", {
	description: "Some members of a Pack: those that `include_attributes` names, or all but those that `exclude_attributes` does.",
	type: "object",
	properties: members,
	...additional,
});

/** Wire schema of a file of a pack. */
export const packFileSchema = defineSchema("PackFile", object({ file_path: text, content: text }), {
	file_path: "pack.yaml",
	content: "name: disk\n",
});
