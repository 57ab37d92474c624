import type { OptionDefinition, OptionSections, Options } from "../../contract/index.ts";
import { describeKind, describeValue, isRecord } from "./describe-value.ts";
import { didYouMean } from "./did-you-mean.ts";
import { type Environment, readOverride } from "./environment.ts";
import { findValueProblem } from "./option-value.ts";
import { collectOptionSections } from "./sections.ts";

/** Members of a section that are plugins or lists. `resolveConfig` checks them. */
const otherMembers: ReadonlyMap<string, readonly string[]> = new Map([
	["auth", ["backend", "backend_kwargs"]],
	["rbac", ["roles", "assignments", "mappings"]],
]);

export interface OptionContext {
	readonly sections: OptionSections;
	readonly env: Environment;
	/** Receives each problem. */
	readonly problems: string[];
}

/**
 * Returns every section with every option, for programs that need no other part of the configuration. Adds each problem to `problems`, also
 * those of sections of features.
 */
export function resolveOptions(config: Readonly<Record<string, unknown>>, env: Environment, problems: string[]): Options {
	const collected = collectOptionSections(config);
	problems.push(...collected.problems);
	return resolveSections(config, { sections: collected.sections, env, problems });
}

/**
 * Returns every section with every option. The environment takes precedence over the configuration, and the configuration over the default.
 */
export function resolveSections(config: Readonly<Record<string, unknown>>, { sections, env, problems }: OptionContext): Options {
	const resolved = Object.entries(sections).map(([section, definitions]) => {
		const input = toSectionInput(config, section, problems);
		const members = [...Object.keys(definitions), ...(otherMembers.get(section) ?? [])];
		for (const [name, value] of Object.entries(input)) {
			if (members.includes(name)) continue;
			problems.push(
				`${section}.${name}: unknown option (${describeValue(value, name)}); ${didYouMean(name, members)}allowed in ${section}: ${members.join(", ")}`,
			);
		}
		const candidates = Object.entries(definitions).map(([name, definition]) => {
			const override = readOverride(env, section, name, definition);
			const given = Object.hasOwn(input, name) ? input[name] : undefined;
			return { name, path: `${section}.${name}`, definition, given, override };
		});
		const values = candidates.map((candidate) => [candidate.name, resolveOption(candidate, problems)] as const);
		return [section, withAliases(candidates, Object.fromEntries(values), problems)];
	});
	// The cast is safe: each value was checked against the definition from which its type is derived.
	return Object.fromEntries(resolved) as Options;
}

function toSectionInput(config: Readonly<Record<string, unknown>>, section: string, problems: string[]): Readonly<Record<string, unknown>> {
	const input = Object.hasOwn(config, section) ? config[section] : undefined;
	if (input === undefined) return {};
	if (isRecord(input)) return input;
	problems.push(`${section}: expected an object with options, got ${describeKind(input)}`);
	return {};
}

interface Candidate {
	readonly name: string;
	readonly path: string;
	readonly definition: OptionDefinition;
	readonly given: unknown;
	readonly override: ReturnType<typeof readOverride>;
}

/**
 * Returns the values, with the same value for an option and its alias. The environment takes precedence over the configuration, and the
 * configuration over the default.
 */
function withAliases(
	candidates: readonly Candidate[],
	values: Readonly<Record<string, unknown>>,
	problems: string[],
): Readonly<Record<string, unknown>> {
	const rankOf = ({ given, override }: Candidate) => (override !== undefined ? 2 : given !== undefined ? 1 : 0);
	const merged = { ...values };
	for (const alias of candidates) {
		const original = candidates.find(({ name }) => name === alias.definition.alias_of);
		if (original === undefined) continue;
		const [rank, originalRank] = [rankOf(alias), rankOf(original)];
		if (rank === originalRank && values[alias.name] !== values[original.name]) {
			problems.push(`${alias.path}: is an alias of ${original.path}, which has a different value; give only one of them`);
		}
		const value = values[rank > originalRank ? alias.name : original.name];
		Object.assign(merged, { [alias.name]: value, [original.name]: value });
	}
	return merged;
}

function resolveOption({ name, path, definition, given, override }: Candidate, problems: string[]): unknown {
	// Check the value of the configuration even if a variable overrides it. Otherwise removing the variable later could make the start
	// fail.
	const problem = given === undefined ? undefined : findValueProblem(definition, given, name);
	if (problem !== undefined) problems.push(`${path}: ${problem}`);
	if (override !== undefined && "problem" in override) problems.push(override.problem);
	if (override !== undefined && "value" in override) return override.value;
	return given ?? definition.default;
}
