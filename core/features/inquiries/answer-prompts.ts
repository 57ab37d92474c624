import { CliExit } from "../../cli/context.ts";
import { castText } from "../../cli/parameters.ts";
import type { Choice, Prompts } from "../../cli/prompts.ts";
import { type JsonObject, type JsonValue, type ParameterDefinition, stringifyJson } from "../../contract/index.ts";

/** Prompts for each property of an answer. An empty input omits the property, so that the default of the schema applies. */
export async function promptForProperties(schema: JsonObject, prompts: Prompts, warn: (text: string) => void): Promise<JsonObject> {
	const definition = schema as ParameterDefinition;
	const listed: unknown = definition.required;
	const required = Array.isArray(listed) ? (listed as readonly unknown[]) : [];
	const answer: [string, JsonValue][] = [];
	for (const [name, property] of Object.entries(definition.properties ?? {})) {
		const isRequired = property.default === undefined && (property.required === true || required.includes(name));
		const value = await askForOne({ name, property, isRequired }, prompts, warn);
		if (value !== undefined) answer.push([name, value]);
	}
	return Object.fromEntries(answer);
}

async function askForOne(
	{ name, property, isRequired }: { readonly name: string; readonly property: ParameterDefinition; readonly isRequired: boolean },
	prompts: Prompts,
	warn: (text: string) => void,
): Promise<JsonValue | undefined> {
	const choices = prompts.canChoose ? toChoices(property, isRequired) : [];
	if (choices.length > 0) {
		const initial = choices.findIndex(({ value }) => stringifyJson(value) === stringifyJson(property.default));
		return prompts.choose(toTitle(name, property), choices, Math.max(0, initial));
	}
	for (;;) {
		const text = await prompts.ask(toQuestion(name, property, isRequired), { hidden: property.secret === true });
		if (text === "" && !isRequired) return undefined;
		try {
			if (text === "") throw new CliExit(1, `"${name}" is required`);
			const value = castText(name, toTruth(text, property), property, false);
			if (property.enum !== undefined && !property.enum.some((allowed) => stringifyJson(allowed) === stringifyJson(value))) {
				throw new CliExit(1, `"${name}" must be one of ${property.enum.map((allowed) => stringifyJson(allowed)).join(", ")}`);
			}
			return value;
		} catch (error) {
			if (!(error instanceof CliExit)) throw error;
			warn(`${property.secret === true ? `"${name}" does not match the schema` : error.message}\n`);
		}
	}
}

/** Returns the choices of a property, or none if its values are not enumerable or secret. */
function toChoices(
	{ type, enum: allowed, default: fallback, secret }: ParameterDefinition,
	isRequired: boolean,
): Choice<JsonValue | undefined>[] {
	if (secret === true) return [];
	const values = allowed ?? (type === "boolean" ? [true, false] : []);
	const choices = values.map((value) => ({ label: typeof value === "string" ? value : stringifyJson(value), value }));
	const isLeftOut = choices.length > 0 && !isRequired && fallback === undefined;
	return isLeftOut ? [{ label: "(no answer)", value: undefined }, ...choices] : choices;
}

function toTitle(name: string, { description }: ParameterDefinition): string {
	return description === undefined ? name : `${description} (${name})`;
}

function toQuestion(
	name: string,
	{ description, type, default: fallback, enum: allowed, secret }: ParameterDefinition,
	isRequired: boolean,
): string {
	const hints = [
		allowed === undefined ? type : allowed.map((value) => stringifyJson(value)).join(" | "),
		...(isRequired ? [] : [fallback === undefined || secret === true ? "optional" : `default ${stringifyJson(fallback)}`]),
	].filter((hint) => hint !== undefined);
	return `${description === undefined ? "" : `${description}\n`}${name}${hints.length === 0 ? "" : ` (${hints.join(", ")})`}: `;
}

/** Converts `yes`, `y`, `no` and `n` to the boolean literals that `castText` accepts. */
function toTruth(text: string, { type }: ParameterDefinition): string {
	if (type !== "boolean") return text;
	if (/^(y|yes)$/i.test(text.trim())) return "true";
	return /^(n|no)$/i.test(text.trim()) ? "false" : text.trim();
}
