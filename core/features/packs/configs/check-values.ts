import { isSvcError, type JsonObject, type ParameterDefinitions, SvcError } from "../../../contract/index.ts";
import { secretMask } from "../../../contract/secret-mask.ts";
import { assertDepth } from "../../../language/parameters/depth.ts";
import { validateParameter } from "../../../language/parameters/validate.ts";
import { isTemplate } from "../../../language/templates/template.ts";
import { mapStrings } from "./map-strings.ts";

/**
 * Throws `SVC_INVALID` if the pack's schema does not allow a value. The message contains the pack, the member and the allowed values.
 * Strings that are templates are not checked, because their results are not known yet. Members without a definition in the schema are
 * accepted.
 */
export function checkConfigValues(pack: string, values: JsonObject, schema: ParameterDefinitions): void {
	try {
		for (const [name, value] of Object.entries(values)) assertDepth(name, value);
		for (const [name, definition] of Object.entries(schema)) {
			const value = (Object.hasOwn(values, name) ? values[name] : undefined) ?? null;
			if (value === null) {
				if (definition.required === true && (definition.default ?? null) === null) throw invalid(`"${name}" is required`);
			} else if (!(typeof value === "string" && isTemplate(value) && (definition.type ?? "string") === "string")) {
				validateParameter(name, value, definition);
			}
		}
		mapStrings(values, schema, ({ text, path, isSecret }) => {
			if (isSecret && text === secretMask)
				throw invalid(`"${path}": "${secretMask}" stands for a hidden value, but no value is stored here; give the actual value`);
			// Templates of secret members read items that are already decrypted.
			if (isSecret && isTemplate(text) && /\|\s*decrypt_kv\b/.test(text)) throw invalid(`"${path}" is secret and must not use decrypt_kv`);
			return text;
		});
	} catch (error) {
		if (!isSvcError(error, "SVC_INVALID")) throw error;
		throw new SvcError("SVC_INVALID", `configuration of pack "${pack}": ${error.message}`, { cause: error, facts: error.facts });
	}
}

function invalid(message: string): SvcError {
	return new SvcError("SVC_INVALID", message);
}
