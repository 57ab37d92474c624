import { isDeepStrictEqual } from "node:util";
import type { OptionDefinition, OptionSections, Options } from "../../contract/index.ts";
import { isSecretName } from "./describe-value.ts";

/** Returns true if the value of an option must not be shown, even if its type is wrong. */
export function isSecretOption(name: string, { type, secret }: OptionDefinition): boolean {
	return secret ?? ((type === "string" || type === "list") && isSecretName(name));
}

/** Returns the strings in the values of secret options. Leaves out defaults, which are public. */
export function listSecretStrings(options: Options, sections: OptionSections): readonly string[] {
	const values = options as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
	const secrets = Object.entries(sections).flatMap(([section, definitions]) =>
		Object.entries(definitions).flatMap(([name, definition]) => {
			const value = values[section]?.[name];
			return isSecretOption(name, definition) && !isDeepStrictEqual(value, definition.default) ? value : [];
		}),
	);
	return secrets.filter((value) => typeof value === "string");
}
