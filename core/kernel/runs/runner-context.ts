import type { DialectNames, ExecutionEntity, Expressions, JsonObject, RunContext, WriteOperation } from "../../contract/index.ts";
import type { Dialects } from "../../language/dialects.ts";
import { createExpressions } from "../../language/expressions/expressions.ts";
import { noteDecrypted } from "../../secrets/encrypted-secrets.ts";
import { KnownSecrets } from "../../secrets/redactor.ts";
import { type TemplateSources, toItemUser } from "../submission/parameter-rendering.ts";
import type { Run } from "./active-runs.ts";
import { Journal, type JournalParts } from "./children/journal.ts";
import type { Children } from "./children/node-children.ts";
import type { Learn, RunChildren } from "./children/run-children.ts";
import type { RunCalls } from "./host-calls.ts";
import type { Performance } from "./prepare-run.ts";

export interface RunToolParts extends JournalParts {
	readonly children: Children;
	readonly templateSources: TemplateSources;
	readonly dialects: Dialects;
}

interface Means {
	readonly calls: RunCalls;
	readonly learn: Learn;
	/** What is kept of what the run knows to be secret, for whoever goes on with it. */
	readonly seal: () => string | null;
}

/** What few runners ask for, made when a run first does: to make it for each run would cost as much as a small run itself. */
export class RunTools {
	readonly #parts: RunToolParts;
	readonly #performance: Performance;
	readonly #means: Means;
	#children: RunChildren | undefined;
	#journal: Journal | undefined;
	#expressions: Expressions | undefined;
	#isClosed = false;

	constructor(parts: RunToolParts, performance: Performance, means: Means) {
		this.#parts = parts;
		this.#performance = performance;
		this.#means = means;
	}

	get children(): RunChildren {
		if (this.#children === undefined) {
			this.#children = this.#parts.children.open(this.#performance, this.#means);
			// Whoever asks only now is told what others are who go on after the end of their run.
			if (this.#isClosed) this.#children.close();
		}
		return this.#children;
	}

	get journal(): Journal {
		const { calls, seal } = this.#means;
		this.#journal ??= new Journal(this.#parts, this.#performance, { calls, children: this.children, seal });
		return this.#journal;
	}

	get expressions(): Expressions {
		const { templateSources, dialects } = this.#parts;
		const { execution } = this.#performance;
		this.#expressions ??= createRunExpressions({ templateSources, names: dialects.names, execution, ...this.#means });
		return this.#expressions;
	}

	/** Whether a child has come to something that the run has not been told. */
	async haveChildrenNews(): Promise<boolean> {
		return (await this.#children?.haveNews()) ?? false;
	}

	/** The run has ended. */
	close(): void {
		this.#isClosed = true;
		this.#children?.close();
	}
}

/** What is made when a runner asks for it. */
export type LaterMembers = Pick<RunContext, "pausing" | "children" | "journal" | "expressions">;

interface Makers {
	readonly run: Pick<Run, "pausing">;
	readonly tools: RunTools;
}

const makersKey: unique symbol = Symbol("makers");

interface Made {
	readonly [makersKey]: Makers;
}

/**
 * Members of their own, so that a copy has them too; with the same functions for all: V8 keeps the getter of a single object, and all that its
 * function can see, until it collects the whole heap.
 */
const getters: PropertyDescriptorMap & ThisType<Made> = {
	pausing: {
		enumerable: true,
		get() {
			return this[makersKey].run.pausing.signal;
		},
	},
	children: {
		enumerable: true,
		get() {
			return this[makersKey].tools.children;
		},
	},
	journal: {
		enumerable: true,
		get() {
			return this[makersKey].tools.journal;
		},
	},
	expressions: {
		enumerable: true,
		get() {
			return this[makersKey].tools.expressions;
		},
	},
};

/** The same context, with these members besides. */
export function withLaterMembers<C extends object>(context: C, makers: Makers): C & LaterMembers {
	Object.defineProperty(context, makersKey, { value: makers });
	return Object.defineProperties(context, getters) as C & LaterMembers;
}

/** What a feature has of a run in whose runner's place it is called, besides what runners have. */
export interface HostedRunContext extends RunContext {
	/** As `saveState`, with what is stored in the same write or not at all: `recover` finds both or is never called. */
	saveStateWith(state: JsonObject, operations: readonly WriteOperation[]): Promise<void>;
	/** As `setRunnerInfo` of a run that is about to end: stored with its end, without a write of its own. */
	noteRunnerInfo(info: JsonObject): void;
}

/** The context of a run that the kernel has given. */
export function toHosted(context: RunContext): HostedRunContext {
	if (!("saveStateWith" in context)) throw new Error("the context of the run is not the kernel's");
	return context as HostedRunContext;
}

interface RunExpressionParts {
	readonly execution: ExecutionEntity;
	readonly templateSources: TemplateSources;
	/** Other names of variables and functions. */
	readonly names: DialectNames;
	readonly calls: RunCalls;
	/** Have the run know what is secret in what it is told. */
	readonly learn: (known: KnownSecrets) => Promise<void>;
}

/** The expressions of one run. */
function createRunExpressions({ execution, templateSources, names, calls, learn }: RunExpressionParts): Expressions {
	const plain = createExpressions({ names });
	const user = toItemUser(execution.context, templateSources.systemUser);
	const access = templateSources.items.accessFor(user, execution);
	return {
		find: (value, language) => plain.find(value, language),
		evaluate: (value, scope) =>
			calls.outlast(async () => {
				const secrets: string[] = [];
				try {
					return await createExpressions({ datastore: noteDecrypted(access, secrets), names }).evaluate(value, scope);
				} finally {
					// Before what it says, or fails with, gets anywhere.
					if (secrets.length > 0) await learn(KnownSecrets.none.with(secrets));
				}
			}),
	};
}
