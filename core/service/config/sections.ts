import { type OptionDefinitions, type OptionSections, optionSections } from "../../contract/index.ts";
import type { FeaturePlugin } from "../../features/feature-plugin.ts";
import { describeKind, isRecord } from "./describe-value.ts";
import { otherVariables, toVariableName, variablesOf } from "./environment.ts";
import { optionalFeatures } from "./left-out-features.ts";
import { findValueProblem } from "./option-value.ts";

/**
 * Returns the option sections of core, those of all optional features, and those of the features that a configuration lists. Leaves out
 * what `findSectionProblems` refuses.
 */
export function toSections({ features }: Readonly<Record<string, unknown>>): OptionSections {
	const listed = Array.isArray(features) ? (features as readonly unknown[]).filter(isRecord) : [];
	const sections: Record<string, OptionDefinitions> = { ...optionSections };
	for (const { options } of [...optionalFeatures(), ...listed]) {
		if (!isRecord(options)) continue;
		for (const [name, definitions] of Object.entries(options)) {
			if (!Object.hasOwn(optionSections, name) && isSection(definitions)) sections[name] = definitions;
		}
	}
	return sections;
}

function isSection(value: unknown): value is OptionDefinitions {
	return isRecord(value) && Object.values(value).every(isRecord);
}

/**
 * Returns the problems of the option sections of features: names that are taken, and definitions that cannot be used.
 *
 * @param members names of the members that every configuration may have
 */
export function findSectionProblems(features: readonly FeaturePlugin[], members: readonly string[]): string[] {
	const owners = new Map(
		optionalFeatures().flatMap(({ name, options = {} }) => Object.keys(options).map((section) => [section, name] as const)),
	);
	const variables = new Set([...variablesOf(optionSections), ...otherVariables]);

	function findProblems(feature: string, section: string, definitions: unknown): readonly string[] {
		if (members.includes(section)) return [`the member "${section}" is built in; choose another name`];
		const owner = owners.get(section) ?? feature;
		owners.set(section, owner);
		if (owner !== feature) return [`the feature "${owner}" has a section "${section}"; choose another name`];
		return findDefinitionProblems(section, definitions, variables);
	}

	return features.flatMap(({ name, options = {} }, index) =>
		Object.entries(options)
			.flatMap(([section, definitions]) => findProblems(name, section, definitions))
			.map((problem) => `features[${index}]: options of "${name}": ${problem}`),
	);
}

const namePattern = /^[a-z][a-z0-9_]*$/;

/** Returns the problems of a section. Adds the variables of its options to `variables`. */
function findDefinitionProblems(section: string, definitions: unknown, variables: Set<string>): string[] {
	if (!isSection(definitions)) return [`${section}: expected an object of option definitions, got ${describeKind(definitions)}`];
	return Object.entries(definitions).flatMap(([option, definition]) => {
		const path = `${section}.${option}`;
		if (!namePattern.test(section) || !namePattern.test(option))
			return [`${path}: names must consist of lower-case letters, digits and underscores and begin with a letter`];
		const variable = toVariableName(section, option);
		if (variables.has(variable)) return [`${path}: the environment variable ${variable} is already used; choose another name`];
		variables.add(variable);
		const problem = findValueProblem(definition, definition.default);
		return problem === undefined ? [] : [`${path}: default: ${problem}`];
	});
}
