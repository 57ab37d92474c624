import { type OptionDefinition, type OptionDefinitions, type OptionSections, optionSections } from "../../contract/index.ts";
import { describeKind, isRecord } from "./describe-value.ts";
import { isRunVariable, otherVariables, toVariableName } from "./environment.ts";
import { shippedFeatures } from "./left-out-features.ts";
import { findValueProblem } from "./option-value.ts";

/** Members of every configuration that are not option sections. */
export const compositionMembers: readonly string[] = [
	"storage",
	"event_bus",
	"runners",
	"sensors",
	"dialects",
	"telemetry",
	"auth_backends",
	"packs",
	"configs",
	"data_dir",
	"features",
];

/** Option sections of a configuration. */
export interface CollectedOptionSections {
	/** The sections of core, of all shipped features, and of the listed features, without refused ones. */
	readonly sections: OptionSections;
	/** Names of refused sections. Values in them cannot be checked. */
	readonly refused: readonly string[];
	/** Problems of the sections of the listed features: names that are taken, and definitions that cannot be used. */
	readonly problems: readonly string[];
}

/** Collects the option sections of a configuration. Ignores elements of `features` that are no features. */
export function collectOptionSections({ features }: Readonly<Record<string, unknown>>): CollectedOptionSections {
	const taken = new TakenNames();
	const added: Record<string, OptionDefinitions> = Object.assign({}, ...shippedFeatures().map(({ options = {} }) => options));
	const refused: string[] = [];
	const problems: string[] = [];
	for (const [index, feature] of (Array.isArray(features) ? (features as readonly unknown[]) : []).entries()) {
		if (!isRecord(feature) || typeof feature["name"] !== "string") continue;
		const { name, options = {} } = feature;
		const begin = `features[${index}]: options of "${name}": `;
		if (!isRecord(options)) problems.push(`${begin}expected an object of sections, got ${describeKind(options)}`);
		for (const [section, definitions] of isRecord(options) ? Object.entries(options) : []) {
			const found = taken.claimSection(name, section, definitions);
			if (found.length === 0) added[section] = definitions as OptionDefinitions;
			else refused.push(section);
			problems.push(...found.map((problem) => `${begin}${problem}`));
		}
	}
	const accepted = Object.entries(added).filter(([section]) => !refused.includes(section));
	return { sections: { ...optionSections, ...Object.fromEntries(accepted) }, refused, problems };
}

const namePattern = /^[a-z][a-z0-9_]*$/;
const nameRule = "names must consist of lower-case letters, digits and underscores and begin with a letter";

/** The names of sections and variables that have a meaning already: those of core, of shipped features, and of features checked before. */
class TakenNames {
	/** Names of features by section. */
	readonly #owners = new Map<string, string>();
	/** What each variable means: the path of an option, or a name of its own. */
	readonly #meanings = new Map(otherVariables.map((variable) => [variable, variable]));

	constructor() {
		this.#addVariables(optionSections);
		for (const { name, options = {} } of shippedFeatures()) {
			for (const section of Object.keys(options)) this.#owners.set(section, name);
			this.#addVariables(options);
		}
	}

	/** Claims the name of a section, and the variables of its options, for a feature. Returns the problems of the section. */
	claimSection(feature: string, section: string, definitions: unknown): readonly string[] {
		if (!namePattern.test(section)) return [`${section}: ${nameRule}`];
		if (compositionMembers.includes(section) || Object.hasOwn(optionSections, section))
			return [`the member "${section}" is built in; choose another name`];
		const owner = this.#owners.get(section) ?? feature;
		this.#owners.set(section, owner);
		if (owner !== feature) return [`the feature "${owner}" has a section "${section}"; choose another name`];
		if (!isRecord(definitions)) return [`${section}: expected an object of option definitions, got ${describeKind(definitions)}`];
		return Object.entries(definitions).flatMap(([option, definition]) => {
			const names = Object.keys(definitions).filter((name) => name !== option);
			const problem = namePattern.test(option)
				? (this.#findVariableProblem(section, option) ?? findDefinitionProblem(definition, names))
				: nameRule;
			return problem === undefined ? [] : [`${section}.${option}: ${problem}`];
		});
	}

	#addVariables(sections: OptionSections): void {
		for (const [section, options] of Object.entries(sections)) {
			for (const option of Object.keys(options)) this.#meanings.set(toVariableName(section, option), `${section}.${option}`);
		}
	}

	#findVariableProblem(section: string, option: string): string | undefined {
		const variable = toVariableName(section, option);
		const meaning = this.#meanings.get(variable) ?? `${section}.${option}`;
		this.#meanings.set(variable, meaning);
		if (meaning === `${section}.${option}` && !isRunVariable(variable)) return undefined;
		return `the environment variable ${variable} is already used; choose another name`;
	}
}

/** Definitions of the members of a definition. */
const definitionMembers: OptionDefinitions = {
	type: { type: "string", default: "", choices: ["boolean", "integer", "number", "string", "list"], description: "" },
	minimum: { type: "number", default: 0, description: "" },
	maximum: { type: "number", default: 0, description: "" },
	choices: { type: "list", default: [], description: "" },
	secret: { type: "boolean", default: false, description: "" },
};

/**
 * Returns what is wrong with the definition of an option, or undefined if it is valid.
 *
 * @param others names of the other options of the section
 */
function findDefinitionProblem(definition: unknown, others: readonly string[]): string | undefined {
	if (!isRecord(definition)) return `expected the definition of an option, got ${describeKind(definition)}`;
	const alias: OptionDefinition = { type: "string", default: "", choices: others, description: "" };
	for (const [member, expected] of Object.entries({ ...definitionMembers, alias_of: alias })) {
		const value = definition[member];
		const problem = value === undefined && member !== "type" ? undefined : findValueProblem(expected, value);
		if (problem !== undefined) return `${member}: ${problem}`;
	}
	const problem = findValueProblem(definition as unknown as OptionDefinition, definition["default"]);
	return problem === undefined ? undefined : `default: ${problem}`;
}
