import { type Dialect, type DialectKind, type DialectNames, isJsonObject, type JsonObject, SvcError } from "../contract/index.ts";

/** What all dialects of a service say together; of a word that several know the first one's meaning counts. */
export class Dialects {
	/** Only this service's own words. */
	static readonly none = new Dialects([]);

	/** Variables and functions of templates and expressions: theirs to ours. */
	readonly names: DialectNames;
	/** Names that stand for the datastore in templates, besides this service's own. */
	readonly datastoreNames: readonly string[];
	/** Directories with modules that packs import, in the order in which they are searched. */
	readonly pythonPaths: readonly string[];
	readonly #dialects: readonly Dialect[];
	readonly #runnerTypes: DialectNames;
	readonly #triggerTypes: DialectNames;
	readonly #environment: DialectNames;

	constructor(dialects: readonly Dialect[]) {
		this.#dialects = dialects;
		this.names = merge(dialects.map(({ names }) => names));
		this.datastoreNames = Object.keys(this.names).filter((name) => this.names[name] === "svckv");
		this.pythonPaths = dialects.flatMap(({ pythonPath }) => pythonPath ?? []);
		this.#runnerTypes = merge(dialects.map(({ runnerTypes }) => runnerTypes));
		this.#triggerTypes = merge(dialects.map(({ triggerTypes }) => triggerTypes));
		this.#environment = merge(dialects.map(({ environment }) => environment));
	}

	/** This service's name of a runner type. */
	runnerType(name: string): string {
		return lookUp(this.#runnerTypes, name);
	}

	/** This service's ref of a trigger type. */
	triggerType(ref: string): string {
		return lookUp(this.#triggerTypes, ref);
	}

	/** This service's refs of trigger types, as filters name them: one or several. */
	triggerTypes(refs: string | readonly string[]): string | readonly string[] {
		return typeof refs === "string" ? this.triggerType(refs) : refs.map((ref) => this.triggerType(ref));
	}

	/** This service's names of runner types, as filters name them: one or several. */
	runnerTypes(names: string | readonly string[]): string | readonly string[] {
		return typeof names === "string" ? this.runnerType(names) : names.map((name) => this.runnerType(name));
	}

	/** The uid of a resource, such as `trigger_type:core:webhook`, with this service's name of a trigger type or runner type. */
	resourceUid(uid: string): string {
		const [type, ...names] = uid.split(":");
		if (type === "runner_type" && names.length === 1) return `runner_type:${this.runnerType(names[0] ?? "")}`;
		if (type !== "trigger_type" || names.length !== 2) return uid;
		return `trigger_type:${this.triggerType(names.join(".")).replace(".", ":")}`;
	}

	/** The variables of a run, and the same under the names that they have elsewhere. */
	environment(variables: Readonly<Record<string, string>>): Record<string, string> {
		const others = Object.entries(this.#environment).flatMap(([theirs, ours]): [string, string][] => {
			const value = Object.hasOwn(variables, ours) ? variables[ours] : undefined;
			return value === undefined ? [] : [[theirs, value]];
		});
		return { ...Object.fromEntries(others), ...variables };
	}

	/** What a file of a pack says, in this service's words; what is given is not changed. `SVC_INVALID` says what it cannot say. */
	translate(kind: DialectKind, metadata: JsonObject): JsonObject {
		let translated = metadata;
		for (const { attributes, normalize } of this.#dialects) {
			translated = rename(translated, attributes?.[kind] ?? {});
			translated = normalize?.(kind, translated) ?? translated;
		}
		return this.#translateReferences(kind, translated);
	}

	#translateReferences(kind: DialectKind, metadata: JsonObject): JsonObject {
		const { runner_type, trigger } = metadata;
		if (kind === "action" && typeof runner_type === "string") return { ...metadata, runner_type: this.runnerType(runner_type) };
		if (kind === "rule" && isJsonObject(trigger) && typeof trigger["type"] === "string") {
			return { ...metadata, trigger: { ...trigger, type: this.triggerType(trigger["type"]) } };
		}
		return metadata;
	}
}

/** With attributes under their new names, each in its place. */
function rename(metadata: JsonObject, names: DialectNames): JsonObject {
	const theirs = Object.keys(metadata).filter((name) => Object.hasOwn(names, name) && names[name] !== name);
	if (theirs.length === 0) return metadata;
	const taken = theirs.find((name) => Object.hasOwn(metadata, names[name] as string));
	if (taken !== undefined) {
		throw new SvcError("SVC_INVALID", `attribute "${taken}" is another name of "${names[taken]}", which is there too: leave one out`);
	}
	return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [lookUp(names, name), value]));
}

function lookUp(names: DialectNames, name: string): string {
	return Object.hasOwn(names, name) ? (names[name] as string) : name;
}

function merge(tables: readonly (DialectNames | undefined)[]): DialectNames {
	return Object.assign({}, ...tables.toReversed());
}
