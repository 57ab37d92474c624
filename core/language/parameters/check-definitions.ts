import type { JsonValue, ParameterDefinition, ParameterSchema } from "../../contract/index.ts";
import { SvcError, stringifyJson } from "../../contract/index.ts";
import { nearMiss } from "../../lib/did-you-mean.ts";
import { isPattern } from "../safe-regexp.ts";
import { type AttributeRule, attributeRules, isPlainObject, nestedAttributeRules } from "./definition-attributes.ts";
import { assertDepth } from "./depth.ts";
import { assertValueCount } from "./value-count.ts";

/** Most parameters of one action, and deepest nesting of definitions. */
const limits = { parameters: 1_000, depth: 30 };

/** What a parameter may be called. */
export const parameterNamePattern = /^[\p{L}\p{N}_]+$/u;

/** Attributes that only parameters of runners have. */
const ofRunners = ["reserved", "opensReserved", "reservedBy"] as const;
/** Attributes an action may set on a parameter of its runner. */
const overridable: readonly string[] = ["default", "description", "enum", "immutable", "required"];

/**
 * Check the parameter definitions of an action as it is registered, and return them typed. `SVC_INVALID` names the parameter,
 * the attribute and what is allowed.
 *
 * @param runnerParameters schema of the action's runner. Without it only what does not depend on the runner is checked.
 */
export function checkParameterDefinitions(parameters: unknown, runnerParameters?: ParameterSchema): ParameterSchema {
	if (!isPlainObject(parameters)) throw invalid("parameters must be an object of parameter names and definitions");
	const names = Object.keys(parameters);
	if (names.length > limits.parameters) throw invalid(`parameters must be at most ${limits.parameters}, got ${names.length}`);
	assertValueCount("parameters", parameters);
	for (const name of names) {
		if (!parameterNamePattern.test(name) || name === "__proto__") {
			throw invalid(`parameter "${name.slice(0, 100)}" has a name that is not allowed: letters, digits and underscores are`);
		}
		checkDefinition(name, parameters[name], { rules: attributeRules, depth: 0 });
	}
	const schema = parameters as ParameterSchema;
	if (runnerParameters !== undefined) checkTogether(schema, runnerParameters);
	return schema;
}

interface Place {
	readonly rules: Readonly<Record<string, AttributeRule>>;
	readonly depth: number;
}

function checkDefinition(name: string, definition: unknown, { rules, depth }: Place): void {
	if (!isPlainObject(definition)) throw invalid(`parameter "${name}" must have an object as its definition`);
	if (depth > limits.depth) throw invalid(`parameter "${name}" has definitions nested deeper than ${limits.depth} levels`);
	for (const [attribute, value] of Object.entries(definition)) {
		const rule = Object.hasOwn(rules, attribute) ? rules[attribute] : undefined;
		if (rule === undefined) {
			throw invalid(`parameter "${name}" has the unknown attribute "${attribute.slice(0, 100)}"${nearMiss(attribute, Object.keys(rules))}`);
		}
		if (!rule.accepts(value)) throw invalid(`attribute "${attribute}" of parameter "${name}" must be ${rule.allowed}`);
		if (rule.nested !== undefined) checkNested(`${name}.${attribute}`, value, { rules: nestedAttributeRules, depth: depth + 1 });
		else assertDepth(`${name}.${attribute}`, value as JsonValue);
		if (attribute === "patternProperties") checkPatterns(name, Object.keys(value as object));
	}
}

/** Definitions in an attribute. Booleans, where the rule lets them through, stand for everything or nothing. */
function checkNested(name: string, value: unknown, place: Place): void {
	if (typeof value === "boolean") return;
	if (Array.isArray(value)) {
		for (const [index, item] of value.entries()) checkDefinition(`${name}.${index}`, item, place);
	} else if (/\.(properties|patternProperties)$/.test(name)) {
		for (const [member, definition] of Object.entries(value as object)) checkDefinition(`${name}.${member}`, definition, place);
	} else checkDefinition(name, value, place);
}

function checkPatterns(name: string, patterns: readonly string[]): void {
	const wrong = patterns.find((pattern) => !isPattern(pattern));
	if (wrong !== undefined) throw invalid(`attribute "patternProperties" of parameter "${name}" must have regular expressions as names`);
}

function checkTogether(schema: ParameterSchema, runnerParameters: ParameterSchema): void {
	const positions = new Map<number, string>();
	for (const [name, definition] of [
		...Object.entries(runnerParameters).filter(([name]) => !Object.hasOwn(schema, name)),
		...Object.entries(schema),
	]) {
		const inherited = Object.hasOwn(runnerParameters, name) ? runnerParameters[name] : undefined;
		const foreign = inherited === undefined ? ofRunners.find((attribute) => definition[attribute] !== undefined) : undefined;
		if (foreign !== undefined) throw invalid(`attribute "${foreign}" of parameter "${name}" is for parameters of runners`);
		if (inherited !== undefined && inherited !== definition) checkOverride(name, definition, inherited);
		if (
			definition.immutable === true &&
			!Object.hasOwn(definition, "default") &&
			(inherited === undefined || !Object.hasOwn(inherited, "default"))
		) {
			throw invalid(`attribute "immutable" of parameter "${name}" needs a "default"`);
		}
		const position = definition.position ?? inherited?.position;
		if (position === undefined) continue;
		const other = positions.get(position);
		if (other !== undefined) throw invalid(`attribute "position" of parameter "${name}" must be unique; "${other}" has ${position} too`);
		positions.set(position, name);
	}
	for (let position = 0; position < positions.size; position++) {
		if (!positions.has(position)) throw invalid(`attribute "position" must go from 0 without gaps; no parameter has ${position}`);
	}
}

/** What an action may say of the members of its runner's object, such as the variables in `env`. */
function isMembers(attribute: string): boolean {
	return attribute === "properties" || attribute === "additionalProperties";
}

function checkOverride(name: string, definition: ParameterDefinition, inherited: ParameterDefinition): void {
	for (const [attribute, value] of Object.entries(definition)) {
		if (overridable.includes(attribute)) continue;
		// Saying again what the runner says changes nothing, and marking a value as secret only protects it more.
		if (stringifyJson(inherited[attribute as keyof ParameterDefinition]) === stringifyJson(value)) continue;
		if (attribute === "secret" && value === true) continue;
		if (isMembers(attribute) && inherited.type === "object" && inherited.properties === undefined) continue;
		throw invalid(
			`attribute "${attribute}" of parameter "${name}" cannot be changed, as the parameter is the runner's; allowed are ${overridable.join(", ")}`,
		);
	}
	if (inherited.immutable === true && definition.immutable === false) {
		throw invalid(`attribute "immutable" of parameter "${name}" must be true, as the runner says so`);
	}
}

function invalid(message: string): SvcError {
	return new SvcError("SVC_INVALID", message);
}
