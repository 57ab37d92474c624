import { isJsonObject, type ParameterDefinition, type ParameterDefinitions, SvcError, stringifyJson } from "../../contract/index.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { isPattern } from "../bounded-regexp.ts";
import { type AttributeRule, attributeRules, nestedAttributeRules } from "./definition-attributes.ts";
import { assertDepth } from "./depth.ts";
import { assertValueCount } from "./value-count.ts";

/** Maximum number of parameters of one action, and of nesting levels of definitions. */
const definitionLimits = { parameters: 1_000, depth: 30 };

/** Pattern of the names of parameters. */
export const parameterNamePattern = /^[\p{L}\p{N}_]+$/u;

/** Attributes that only parameters of runners may have. */
const runnerAttributes = ["reserved", "opensReserved", "reservedBy"] as const;
/** Attributes that an action may set on a parameter of its runner. */
const overridableAttributes: readonly string[] = ["default", "description", "enum", "immutable", "required"];

/**
 * Checks the parameter definitions of an action when it is registered, and returns them typed. Throws `SVC_INVALID` if a definition is not
 * valid; the message names the parameter, the attribute and the allowed values.
 *
 * @param runnerParameters schema of the action's runner. If it is absent, only rules that do not depend on the runner are checked.
 */
export function checkParameterDefinitions(parameters: unknown, runnerParameters?: ParameterDefinitions): ParameterDefinitions {
	if (!isJsonObject(parameters)) throw invalid("parameters must be an object of parameter names and definitions");
	const names = Object.keys(parameters);
	if (names.length > definitionLimits.parameters)
		throw invalid(`at most ${definitionLimits.parameters} parameters are allowed, got ${names.length}`);
	assertValueCount("parameters", parameters);
	for (const name of names) {
		if (!parameterNamePattern.test(name) || name === "__proto__") {
			throw invalid(`parameter "${name.slice(0, 100)}" has an invalid name: only letters, digits and underscores are allowed`);
		}
		checkDefinition(name, parameters[name], { rules: attributeRules, depth: 0 });
	}
	const schema = parameters as ParameterDefinitions;
	if (runnerParameters !== undefined) checkWithRunner(schema, runnerParameters);
	return schema;
}

interface DefinitionScope {
	readonly rules: Readonly<Record<string, AttributeRule>>;
	readonly depth: number;
}

function checkDefinition(name: string, definition: unknown, { rules, depth }: DefinitionScope): void {
	if (!isJsonObject(definition)) throw invalid(`parameter "${name}" must have an object as its definition`);
	if (depth > definitionLimits.depth)
		throw invalid(`parameter "${name}" has definitions nested deeper than ${definitionLimits.depth} levels`);
	for (const [attribute, value] of Object.entries(definition)) {
		const rule = Object.hasOwn(rules, attribute) ? rules[attribute] : undefined;
		if (rule === undefined) {
			throw invalid(
				`parameter "${name}" has the unknown attribute "${attribute.slice(0, 100)}"${didYouMean(attribute, Object.keys(rules))}`,
			);
		}
		if (!rule.accepts(value)) throw invalid(`attribute "${attribute}" of parameter "${name}" must be ${rule.description}`);
		if (rule.hasDefinitions !== undefined) checkNested(`${name}.${attribute}`, value, { rules: nestedAttributeRules, depth: depth + 1 });
		else assertDepth(`${name}.${attribute}`, value);
		if (attribute === "patternProperties") checkPatterns(name, Object.keys(value as object));
	}
}

/** Checks the definitions inside an attribute. A boolean instead of a definition, which allows every value or none, needs no check. */
function checkNested(name: string, value: unknown, scope: DefinitionScope): void {
	if (typeof value === "boolean") return;
	if (Array.isArray(value)) {
		for (const [index, item] of value.entries()) checkDefinition(`${name}.${index}`, item, scope);
	} else if (/\.(properties|patternProperties)$/.test(name)) {
		for (const [member, definition] of Object.entries(value as object)) checkDefinition(`${name}.${member}`, definition, scope);
	} else checkDefinition(name, value, scope);
}

function checkPatterns(name: string, patterns: readonly string[]): void {
	const invalidPattern = patterns.find((pattern) => !isPattern(pattern));
	if (invalidPattern !== undefined)
		throw invalid(`attribute "patternProperties" of parameter "${name}" must have regular expressions as names`);
}

function checkWithRunner(schema: ParameterDefinitions, runnerParameters: ParameterDefinitions): void {
	const positions = new Map<number, string>();
	for (const [name, definition] of [
		...Object.entries(runnerParameters).filter(([name]) => !Object.hasOwn(schema, name)),
		...Object.entries(schema),
	]) {
		const inherited = Object.hasOwn(runnerParameters, name) ? runnerParameters[name] : undefined;
		const misplacedAttribute =
			inherited === undefined ? runnerAttributes.find((attribute) => definition[attribute] !== undefined) : undefined;
		if (misplacedAttribute !== undefined)
			throw invalid(`attribute "${misplacedAttribute}" of parameter "${name}" is only allowed for runners`);
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
		const otherName = positions.get(position);
		if (otherName !== undefined)
			throw invalid(`attribute "position" of parameter "${name}" must be unique; "${otherName}" also has ${position}`);
		positions.set(position, name);
	}
	for (let position = 0; position < positions.size; position++) {
		if (!positions.has(position)) throw invalid(`attribute "position" must be numbered from 0 without gaps; no parameter has ${position}`);
	}
}

/** Returns true for attributes by which an action may describe the members of its runner's object, such as the variables in `env`. */
function describesMembers(attribute: string): boolean {
	return attribute === "properties" || attribute === "additionalProperties";
}

function checkOverride(name: string, definition: ParameterDefinition, inherited: ParameterDefinition): void {
	for (const [attribute, value] of Object.entries(definition)) {
		if (overridableAttributes.includes(attribute)) continue;
		// Repeating the runner's value changes nothing, and `secret: true` only adds protection.
		if (stringifyJson(inherited[attribute as keyof ParameterDefinition]) === stringifyJson(value)) continue;
		if (attribute === "secret" && value === true) continue;
		if (describesMembers(attribute) && inherited.type === "object" && inherited.properties === undefined) continue;
		throw invalid(
			`attribute "${attribute}" of parameter "${name}" cannot be changed, because the runner defines the parameter; allowed are ${overridableAttributes.join(", ")}`,
		);
	}
	if (inherited.immutable === true && definition.immutable === false) {
		throw invalid(`attribute "immutable" of parameter "${name}" must be true, because the runner defines it so`);
	}
}

function invalid(message: string): SvcError {
	return new SvcError("SVC_INVALID", message);
}
