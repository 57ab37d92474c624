import { Ajv, type ValidateFunction } from "ajv";

const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: text };
const description = { type: "string" };

const grant = {
	type: "object",
	additionalProperties: false,
	required: ["permission_types"],
	properties: { resource_uid: text, permission_types: texts },
};

const schema = {
	type: "object",
	properties: {
		roles: listOf({ name: text, description, permission_grants: { type: "array", items: grant } }, ["name"]),
		assignments: listOf({ username: text, roles: texts, description }, ["username", "roles"]),
		mappings: listOf({ group: text, roles: texts, description }, ["group", "roles"]),
	},
};

function listOf(properties: Record<string, unknown>, required: readonly string[]) {
	return { type: "array", items: { type: "object", additionalProperties: false, required, properties } };
}

/** Compiled when it is first needed: most sites declare no roles. */
let validate: ValidateFunction | undefined;

/** What is wrong with the shape of `rbac.roles`, `rbac.assignments` and `rbac.mappings`, each with its path. */
export function findRoleProblems(section: unknown): string[] {
	if (section === undefined) return [];
	validate ??= new Ajv({ allErrors: true, strict: false, logger: false }).compile(schema);
	if (validate(section)) return [];
	return (validate.errors ?? []).map(({ instancePath, message, params }) => {
		const path = instancePath.replace(/\/(\d+)/g, "[$1]").replaceAll("/", ".");
		const name = "additionalProperty" in params ? ` (${String(params["additionalProperty"])})` : "";
		return `rbac${path}: ${message}${name}`;
	});
}
