import { type DefinitionFinding, isJsonObject, type JsonObject, type JsonValue } from "../../../core/contract/index.ts";
import type { Path } from "./chain-source.ts";

/** Problem of a chain that can be found without checking actions and templates. */
export interface ChainProblem {
	readonly type: Extract<DefinitionFinding["type"], "syntax" | "semantic" | "warning">;
	readonly message: string;
	readonly path: Path;
}

/** Maximum characters of a node's name. The name is part of the keys of executions. */
const maxNameLength = 200;
const isWord = /^\w+$/;
const topKeys = ["chain", "default", "vars"];

/**
 * Returns the problems of a chain's definition. If all of them are warnings, the chain can be read.
 *
 * @param name Name of the chain in messages: the ref of its action.
 */
export function findProblems(value: JsonObject, name = "the chain"): readonly ChainProblem[] {
	const shape = [...checkTop(value), ...checkNodes(value["chain"], name)];
	return shape.some(({ type }) => type === "syntax") ? shape : [...shape, ...checkTargets(value)];
}

function* checkTop(value: JsonObject): Generator<ChainProblem> {
	for (const key of Object.keys(value)) {
		if (!topKeys.includes(key)) yield syntax([key], `the key "${key}" is unknown; allowed are chain, default and vars`);
	}
	yield* checkNames(value["vars"], ["vars"]);
	const start = value["default"];
	if (!isAbsent(start) && typeof start !== "string") yield syntax(["default"], "must be the name of a node");
}

function* checkNodes(nodes: JsonValue | undefined, chain: string): Generator<ChainProblem> {
	if (!Array.isArray(nodes)) return yield syntax(nodes === undefined ? [] : ["chain"], "chain: required, a list of nodes");
	if (nodes.length === 0) yield { type: "semantic", path: ["chain"], message: `Failed to find default node in ${chain}.` };
	const seen = new Set<JsonValue | undefined>();
	for (const [index, node] of (nodes as readonly JsonValue[]).entries()) {
		const path = ["chain", index];
		if (!isJsonObject(node)) {
			yield syntax(path, "a node must be an object");
			continue;
		}
		yield* checkNode(node, path);
		const name = node["name"];
		if (seen.has(name))
			yield { type: "warning", path: [...path, "name"], message: `another node has the name "${String(name)}", so this node never runs` };
		seen.add(name);
	}
}

function* checkNode(node: JsonObject, path: Path): Generator<ChainProblem> {
	const at = (key: string) => (Object.hasOwn(node, key) ? [...path, key] : path);
	for (const key of ["name", "ref"]) {
		if (typeof node[key] !== "string" || node[key] === "") yield syntax(at(key), `${key}: required, a non-empty string`);
	}
	const name = node["name"];
	if (typeof name === "string" && name.length > maxNameLength)
		yield syntax(at("name"), `name: at most ${maxNameLength} characters are allowed`);
	if (typeof name === "string" && !isWord.test(name)) {
		const message = `templates cannot use the result of "${name}": its name must consist of letters, digits and underscores`;
		yield { type: "warning", path: at("name"), message };
	}
	if (!isAbsent(node["parameters"]) && !isAbsent(node["params"])) yield syntax(at("params"), "give either parameters or params, not both");
	for (const key of ["parameters", "params", "notify"]) {
		if (!isAbsent(node[key]) && !isJsonObject(node[key])) yield syntax(at(key), `${key}: must be an object`);
	}
	for (const key of ["on-success", "on-failure"]) {
		if (!isAbsent(node[key]) && typeof node[key] !== "string") yield syntax(at(key), `${key}: must be the name of a node`);
	}
	yield* checkNames(node["publish"], [...path, "publish"]);
}

function* checkNames(values: JsonValue | undefined, path: Path): Generator<ChainProblem> {
	if (isAbsent(values)) return;
	if (!isJsonObject(values)) return yield syntax(path, `${path.at(-1)}: must be an object`);
	for (const name of Object.keys(values)) {
		if (!isWord.test(name))
			yield syntax([...path, name], `"${name}" is not a valid name: only letters, digits and underscores are allowed`);
	}
}

function* checkTargets(value: JsonObject): Generator<ChainProblem> {
	const nodes = value["chain"] as readonly JsonObject[];
	const names = new Set(nodes.map((node) => node["name"]));
	const start = value["default"];
	if (isTarget(start) && !names.has(start)) yield missing(start, ["default"], 'referenced in "default".');
	for (const [index, node] of nodes.entries()) {
		for (const key of ["on-success", "on-failure"]) {
			const target = node[key];
			if (!isTarget(target) || names.has(target)) continue;
			const problem = missing(target, ["chain", index, key], `referenced in "${key}" in task "${String(node["name"])}".`);
			// Only a warning if the target is a template: targets are never rendered, but the chain runs until it reaches this one.
			yield /\{\{|\{%/.test(target) ? { ...problem, type: "warning" } : problem;
		}
	}
}

function missing(name: string, path: Path, where: string): ChainProblem {
	return { type: "semantic", path, message: `Unable to find node with name "${name}" ${where}` };
}

function syntax(path: Path, message: string): ChainProblem {
	return { type: "syntax", path, message };
}

function isAbsent(value: JsonValue | undefined): value is null | undefined {
	return value === undefined || value === null;
}

/** Returns true if the value names a target. An empty string ends the chain, like a missing target. */
export function isTarget(value: JsonValue | undefined): value is string {
	return typeof value === "string" && value !== "";
}
