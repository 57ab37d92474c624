import { isDeepStrictEqual } from "node:util";
import type { PlannedOption } from "../../cli/service-plan.ts";
import { type JsonValue, type OptionDefinition, type Options, optionSections } from "../../contract/index.ts";
import { mask } from "../../language/parameters/schema-masking.ts";
import { type Environment, readOverride, toVariableName } from "../config/environment.ts";

/** Variables that stand for no option of a section. */
const others: readonly (readonly [variable: string, path: string])[] = [
	["SVC_DATA_DIR", "data_dir"],
	["SVC_ADMIN_PASSWORD", "admin_password"],
	["SVC_AUTH_BACKEND", "auth.backend"],
	["SVC_AUTH_BACKEND_KWARGS", "auth.backend_kwargs"],
];

/** Variables whose values are secrets although their paths do not sound like it. */
const secretVariables: readonly string[] = ["SVC_ADMIN_PASSWORD", "SVC_AUTH_BACKEND_KWARGS"];

const secretName = /pass|secret|token|credential/i;

/** Options that are not the default, and those that the environment sets, with secrets masked. */
export function listOptions(options: Options, env: Environment): readonly PlannedOption[] {
	const listed: PlannedOption[] = [];
	for (const [section, definitions] of Object.entries<Readonly<Record<string, OptionDefinition>>>(optionSections)) {
		const values = (options as Readonly<Record<string, Readonly<Record<string, JsonValue>>>>)[section] ?? {};
		for (const [name, definition] of Object.entries(definitions)) {
			const value = values[name] ?? null;
			const isSet = readOverride(env, section, name, definition) !== undefined;
			if (!isSet && isDeepStrictEqual(value, definition.default)) continue;
			const variable = isSet ? { variable: toVariableName(section, name) } : {};
			listed.push({ path: `${section}.${name}`, value: toShown(name, value), ...variable });
		}
	}
	for (const [variable, path] of others) {
		const value = env[variable]?.trim();
		if (value) listed.push({ path, value: secretVariables.includes(variable) ? mask : value, variable });
	}
	return listed;
}

function toShown(name: string, value: JsonValue): JsonValue {
	if (typeof value !== "string") return value;
	if (secretName.test(name) && value !== "") return mask;
	return value.replace(/(:\/\/[^:@/?#]*:)[^@/]*@/, `$1${mask}@`);
}
