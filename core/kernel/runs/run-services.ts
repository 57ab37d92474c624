import type { DialectNames, Expressions, JsonObject, RunContext, WriteOperation } from "../../contract/index.ts";
import { createExpressions } from "../../language/expressions/expressions.ts";
import { collectDecrypted } from "../../secrets/encrypted-secrets.ts";
import { Redactor } from "../../secrets/redactor.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { type TemplateSources, toItemUser } from "../submission/parameter-rendering.ts";
import type { ActiveRun } from "./active-runs.ts";
import { Journal, type JournalOptions } from "./children/journal.ts";
import type { AddSecrets, RunChildren } from "./children/run-children.ts";
import type { RunChildrenFactory } from "./children/run-children-factory.ts";

export interface RunServiceOptions extends JournalOptions, Uses<"dialects"> {
	readonly children: RunChildrenFactory;
	readonly templateSources: TemplateSources;
}

/** Functions of the run that the services use. */
interface RunServiceAccess {
	readonly addSecrets: AddSecrets;
	/** Encrypts the secrets of the run, including its token, for another process that continues the run. */
	readonly encryptSecrets: () => string | null;
}

/**
 * Children, journal and expressions of one run. Few runners use them, so each is created on first use: creating them for every run would
 * cost as much as a small run itself.
 */
export class RunServices {
	readonly #parts: RunServiceOptions;
	readonly #run: ActiveRun;
	readonly #access: RunServiceAccess;
	#children: RunChildren | undefined;
	#journal: Journal | undefined;
	#expressions: Expressions | undefined;

	constructor(parts: RunServiceOptions, run: ActiveRun, access: RunServiceAccess) {
		this.#parts = parts;
		this.#run = run;
		this.#access = access;
	}

	get children(): RunChildren {
		if (this.#children === undefined) {
			this.#children = this.#parts.children.openFor(this.#run, this.#access.addSecrets);
			// If the run has ended, this late call must fail like every other one.
			if (this.#run.state !== "running") this.#children.close();
		}
		return this.#children;
	}

	get journal(): Journal {
		const { encryptSecrets } = this.#access;
		this.#journal ??= new Journal(this.#parts, this.#run, { children: this.children, encryptSecrets });
		return this.#journal;
	}

	get expressions(): Expressions {
		const { templateSources, dialects } = this.#parts;
		const { addSecrets } = this.#access;
		this.#expressions ??= createRunExpressions(this.#run, { templateSources, names: dialects.names, addSecrets });
		return this.#expressions;
	}

	/** Returns true if a child has changed since the runner last saw it. */
	async hasPendingChildChanges(): Promise<boolean> {
		return (await this.#children?.hasPendingChanges()) ?? false;
	}

	/** Ends the services. Must be called when the run ends. */
	close(): void {
		this.#children?.close();
	}
}

/** Members of a run context that are created on first use. */
export type LazyMembers = Pick<RunContext, "pausing" | "children" | "journal" | "expressions">;

/** Objects from which the lazy members of a context are created. */
interface LazyMemberSources {
	readonly run: Pick<ActiveRun, "pauseController">;
	readonly services: RunServices;
}

const sourcesKey: unique symbol = Symbol("sources");

interface WithSources {
	readonly [sourcesKey]: LazyMemberSources;
}

/**
 * Own properties of each context, so that spreading the context copies their values. The getter functions are shared: V8 (Node 20) keeps a
 * per-object getter and its closure alive until a full GC.
 */
const lazyGetters: PropertyDescriptorMap & ThisType<WithSources> = {
	pausing: {
		enumerable: true,
		get() {
			return this[sourcesKey].run.pauseController.signal;
		},
	},
	children: {
		enumerable: true,
		get() {
			return this[sourcesKey].services.children;
		},
	},
	journal: {
		enumerable: true,
		get() {
			return this[sourcesKey].services.journal;
		},
	},
	expressions: {
		enumerable: true,
		get() {
			return this[sourcesKey].services.expressions;
		},
	},
};

/** Adds the lazy members to a context, and returns the same object. */
export function withLazyMembers<C extends object>(context: C, sources: LazyMemberSources): C & LazyMembers {
	Object.defineProperty(context, sourcesKey, { value: sources });
	return Object.defineProperties(context, lazyGetters) as C & LazyMembers;
}

/** Run context with additional members, for a feature that wraps the runner (`Feature.wrapRunner`). */
export interface KernelRunContext extends RunContext {
	/** Does the same as `saveState`, and stores the operations in the same write: if `recover` is called, both are stored. */
	saveStateWith(state: JsonObject, operations: readonly WriteOperation[]): Promise<void>;
	/** Does the same as `setRunnerInfo`, but without a write: the end of the run stores the values. */
	noteRunnerInfo(info: JsonObject): void;
}

/**
 * Returns the context with the additional members that the kernel has added. Throws an `Error` if the context was not created by the
 * kernel.
 */
export function toKernelContext(context: RunContext): KernelRunContext {
	if (!("saveStateWith" in context)) throw new Error("the context of the run is not the kernel's");
	return context as KernelRunContext;
}

interface RunExpressionOptions {
	readonly templateSources: TemplateSources;
	/** Names that dialects give to variables and functions. */
	readonly names: DialectNames;
	readonly addSecrets: AddSecrets;
}

/** Creates the expressions of one run. They read the datastore with the permissions of the execution. */
function createRunExpressions(run: ActiveRun, { templateSources, names, addSecrets }: RunExpressionOptions): Expressions {
	const { execution } = run;
	const plain = createExpressions({ names });
	const user = toItemUser(execution.context, templateSources.systemUser);
	const access = templateSources.items.accessFor(user, execution);
	return {
		// Unknown functions are left to evaluation: a run must not fail because an expression that it never evaluates calls one.
		find: (value, language) => plain.find(value, language),
		evaluate: (value, scope) =>
			run.callHost(async () => {
				const secrets: string[] = [];
				try {
					return await createExpressions({ datastore: collectDecrypted(access, secrets), names }).evaluate(value, scope);
				} finally {
					// Add the secrets before the result or the error of the evaluation can appear in output or logs.
					if (secrets.length > 0) await addSecrets(Redactor.none.withValues(secrets));
				}
			}),
	};
}
