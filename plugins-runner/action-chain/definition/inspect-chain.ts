import {
	type ActionSignature,
	type DefinitionFinding,
	type DefinitionServices,
	isJsonObject,
	isSvcError,
	type JsonObject,
	type JsonValue,
} from "../../../core/contract/index.ts";
import { ChainSource, type Path, toSpecPath } from "./chain-source.ts";
import { findProblems } from "./find-problems.ts";

type Found = Omit<DefinitionFinding, "spec_path" | "schema_path" | "line"> & { readonly path: Path };

/** Maximum number of findings that are returned. */
const maxFindings = 1_000;

/** Returns at most 1,000 findings about the definition of a chain, sorted by type and line. */
export async function inspectChain(text: string, tools: DefinitionServices): Promise<readonly DefinitionFinding[]> {
	const source = read(text);
	if (!(source instanceof ChainSource)) return [source];
	const nodes = toNodes(source.value);
	const found = [...findProblems(source.value), ...findTemplates(source.value, nodes, tools), ...(await findContent(nodes, tools))];
	const findings = found.slice(0, maxFindings).map(({ path, ...finding }) => ({
		...finding,
		spec_path: toSpecPath(path),
		schema_path: null,
		line: source.lineOf(path),
	}));
	return findings.sort((one, other) => order(one.type, other.type) || (one.line ?? 0) - (other.line ?? 0));
}

function read(text: string): ChainSource | DefinitionFinding {
	try {
		return new ChainSource(text);
	} catch (error) {
		if (!isSvcError(error, "SVC_INVALID")) throw error;
		const line = typeof error.facts["line"] === "number" ? error.facts["line"] : null;
		return { type: "syntax", message: error.message, spec_path: null, schema_path: null, line };
	}
}

interface PlacedNode {
	readonly node: JsonObject;
	readonly path: Path;
}

function toNodes({ chain }: JsonObject): readonly PlacedNode[] {
	const nodes = Array.isArray(chain) ? (chain as readonly JsonValue[]) : [];
	return nodes.flatMap((node, index) => (isJsonObject(node) ? [{ node, path: ["chain", index] }] : []));
}

function findTemplates(value: JsonObject, nodes: readonly PlacedNode[], { expressions }: DefinitionServices): readonly Found[] {
	const places: (readonly [Path, JsonValue | undefined])[] = [
		[["vars"], value["vars"]],
		...nodes.flatMap(({ node, path }) =>
			["parameters", "params", "publish"].map((key): [Path, JsonValue | undefined] => [[...path, key], node[key]]),
		),
	];
	return places.flatMap(([path, values]) =>
		Object.entries(isJsonObject(values) ? values : {}).flatMap(([name, template]) =>
			expressions.find(template, "jinja", []).flatMap(({ problem, unknown = [], language, expression }): readonly Found[] => {
				const messages = problem === undefined ? unknown : [problem];
				return messages.map((message) => ({ type: "expression", message, path: [...path, name], language, expression }));
			}),
		),
	);
}

async function findContent(nodes: readonly PlacedNode[], { findAction }: DefinitionServices): Promise<readonly Found[]> {
	if (findAction === undefined) return [];
	const found: Found[] = [];
	for (const { node, path } of nodes) {
		const { ref } = node as { readonly ref?: JsonValue };
		if (typeof ref !== "string" || ref === "") continue;
		const content = (message: string, place: Path = [...path, "ref"], more: Pick<Found, "missing_action"> = {}) =>
			void found.push({ type: "content", message, path: place, ...more });
		const action = ref.includes(".") ? await findAction(ref) : undefined;
		if (action !== undefined) checkCall(action, node, path, content);
		else if (ref.includes(".")) content(`The action "${ref}" is not registered in the database.`, undefined, { missing_action: ref });
		else content(`The action reference "${ref}" is not formatted correctly.`);
	}
	return found;
}

function checkCall(
	{ ref, enabled, parameters }: ActionSignature,
	node: JsonObject,
	path: Path,
	content: (message: string, at?: Path) => void,
): void {
	if (!enabled) content(`The action "${ref}" is disabled.`);
	const key = isJsonObject(node["params"]) ? "params" : "parameters";
	const given = isJsonObject(node[key]) ? node[key] : {};
	for (const [name, definition] of Object.entries(parameters)) {
		const isNeeded = definition.required === true && (definition.default === undefined || definition.default === null);
		if (isNeeded && !Object.hasOwn(given, name)) content(`Action "${ref}" is missing required input "${name}".`);
	}
	for (const name of Object.keys(given)) {
		if (!Object.hasOwn(parameters, name)) content(`Action "${ref}" has unexpected input "${name}".`, [...path, key, name]);
		else if (parameters[name]?.immutable === true) content(`Action "${ref}" does not allow to set "${name}".`, [...path, key, name]);
	}
}

function order(one: string, other: string): number {
	return one < other ? -1 : one > other ? 1 : 0;
}
