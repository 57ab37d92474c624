import type { AnnouncementSubject, Expressions, JsonObject, RunContext, WriteOperation } from "../../contract/index.ts";
import { createExpressions } from "../../language/expressions/expressions.ts";
import { collectDecrypted } from "../../secrets/encrypted-secrets.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { withScopes } from "../basics/principal.ts";
import type { IncomingEvent } from "../events/event-dispatcher-api.ts";
import type { ResolvedTrigger } from "../events/trigger-catalog.ts";
import { publishAnnouncement } from "../executions/execution-events.ts";
import { toDatastoreUser } from "../submission/parameter-rendering.ts";
import type { ActiveRun, ActiveRuns } from "./active-runs.ts";
import { Journal } from "./children/journal.ts";
import type { RunChildren } from "./children/run-children.ts";
import type { RunChildrenFactory } from "./children/run-children-factory.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { addLogSecrets, encryptRunSecrets } from "./run-secrets.ts";
import type { RunWrites } from "./run-writes.ts";

export interface RunServiceDependencies extends RunDependencies {
	readonly children: RunChildrenFactory;
	readonly runs: ActiveRuns;
	readonly runWrites: RunWrites;
}

/** Members of a run context that are created on first use. */
export type LazyMembers = Pick<RunContext, "pausing" | "children" | "journal" | "expressions">;

interface RunAnnouncement {
	readonly route: string;
	readonly payload: JsonObject;
	/** The execution that the payload describes. Undefined: all clients that may read the stream receive the announcement. */
	readonly about: AnnouncementSubject | undefined;
}

/**
 * Services that the context of one run provides to its runner. Few runners use children, journal or expressions, so each is created on
 * first use: creating them for every run would cost as much as a small run itself.
 */
export class RunServices implements LazyMembers {
	readonly #parts: RunServiceDependencies;
	readonly #run: ActiveRun;
	/** Functions that end the masking of secrets in the log, for secrets that the run has read since its start. */
	readonly #forgetSecrets: (() => void)[] = [];
	#children: RunChildren | undefined;
	#journal: Journal | undefined;
	#expressions: Expressions | undefined;

	constructor(parts: RunServiceDependencies, run: ActiveRun) {
		this.#parts = parts;
		this.#run = run;
	}

	get pausing(): AbortSignal {
		return this.#run.pauseController.signal;
	}

	get children(): RunChildren {
		if (this.#children === undefined) {
			this.#children = this.#parts.children.openFor(this.#run, (added) => this.#addSecrets(added));
			// If the run has ended, this late call must fail like every other one.
			if (this.#run.state !== "running") this.#children.close();
		}
		return this.#children;
	}

	get journal(): Journal {
		this.#journal ??= new Journal(this.#parts, this.#run, this);
		return this.#journal;
	}

	get expressions(): Expressions {
		this.#expressions ??= this.#createExpressions();
		return this.#expressions;
	}

	/** Returns true if a child has changed since the runner last saw it. */
	async hasPendingChildChanges(): Promise<boolean> {
		return (await this.#children?.hasPendingChanges()) ?? false;
	}

	/**
	 * Publishes an announcement. If `api.mask_secrets` is on, masks secrets, because announcements are only read outside the service. Always
	 * removes the token. Throws `SVC_INVALID` if the route is invalid.
	 */
	announce({ route, payload, about }: RunAnnouncement): void {
		const { eventBus, options } = this.#parts;
		const { execution, secrets } = this.#run;
		const shown = options.api.mask_secrets ? secrets.redactJson(payload) : secrets.withoutToken(payload);
		publishAnnouncement(eventBus, secrets.redactText(route), { payload: shown, traceId: execution.trace_id, about });
	}

	/**
	 * Dispatches a new event with a new trace. Returns the id of the trigger instance once it is stored. The event still counts as caused by
	 * the execution, so that the loop guard stops endless cascades. Checks the permissions of the execution, because the trigger may come from
	 * its parameters.
	 */
	async dispatch({
		traceTag,
		trigger,
		payload,
	}: Pick<IncomingEvent, "trigger" | "payload"> & { readonly traceTag?: string }): Promise<string> {
		const { authority, dispatcher, triggerTypes, sealedSecrets } = this.#parts;
		const { id, author, user, scopes } = this.#run.execution;
		const { secrets } = this.#run;
		const principal = withScopes(await authority.principalOf(author ?? user), scopes);
		const { instance } = await dispatcher.dispatch({
			trigger: typeof trigger === "string" ? trigger : { ...trigger, parameters: secrets.withoutToken(trigger.parameters) },
			payload: secrets.withoutToken(payload),
			// Mask secrets in the tag, because every user who may list traces sees it.
			trace: { trace_tag: secrets.redactText(traceTag ?? `dispatch-${id}`) },
			check: (resolved: ResolvedTrigger) => triggerTypes.assertInjectable(resolved, principal),
			causedBy: { executionId: id },
			knownSecrets: sealedSecrets.encrypt(secrets),
		});
		return instance.id;
	}

	/**
	 * Stores the state from which `recover` can continue the run. The first call also stores the token, because the process that continues the
	 * run must mask it. Throws `SVC_CONFLICT` if this run no longer holds the execution.
	 */
	async saveState(state: JsonObject, operations?: readonly WriteOperation[]): Promise<void> {
		const { runs, runWrites } = this.#parts;
		const encryptedSecrets = this.#run.isResumable ? undefined : this.encryptSecrets();
		if (!(await runWrites.storeState(this.#run, { state, encryptedSecrets }, operations))) throw this.#run.toLostError();
		runs.markResumable(this.#run);
	}

	/** Encrypts the secrets of the run, including its token, because another process may continue the run. */
	encryptSecrets(): string | null {
		return encryptRunSecrets(this.#run, this.#parts.sealedSecrets, { isResumable: true });
	}

	/** Ends the services. Must be called when the run ends. */
	close(): void {
		this.#children?.close();
		for (const forget of this.#forgetSecrets) forget();
	}

	/**
	 * Adds secrets that the run has read, for example in the result of a child. The secrets are masked in its output, its result and the log,
	 * and are stored for the process that continues the run. Throws `SVC_CONFLICT` if this run no longer holds the execution.
	 */
	async #addSecrets(added: Redactor): Promise<void> {
		const { runWrites, sealedSecrets, logger } = this.#parts;
		const run = this.#run;
		const before = run.secrets;
		run.secrets = before.union(added);
		if (run.secrets === before) return;
		run.learnedSecrets = run.learnedSecrets.union(added);
		run.outputWriter?.setSecrets(run.secrets);
		const encryptedSecrets = encryptRunSecrets(run, sealedSecrets, { isResumable: run.isResumable });
		if (!(await runWrites.storeSecrets(run, encryptedSecrets))) throw run.toLostError();
		this.#forgetSecrets.push(addLogSecrets(logger, added));
	}

	/** Creates the expressions of the run. They read the datastore with the permissions of the execution. */
	#createExpressions(): Expressions {
		const { templateSources, dialects } = this.#parts;
		const { execution } = this.#run;
		const { names } = dialects;
		const plain = createExpressions({ names });
		const access = templateSources.items.accessFor(toDatastoreUser(execution.context, templateSources.systemUser), execution);
		return {
			// Unknown functions are left to evaluation: a run must not fail because an expression that it never evaluates calls one.
			find: (value, language) => plain.find(value, language),
			evaluate: (value, scope) =>
				this.#run.callHost(async () => {
					const secrets: string[] = [];
					try {
						return await createExpressions({ datastore: collectDecrypted(access, secrets), names }).evaluate(value, scope);
					} finally {
						// Add the secrets before the result or the error of the evaluation can appear in output or logs.
						if (secrets.length > 0) await this.#addSecrets(Redactor.none.withValues(secrets));
					}
				}),
		};
	}
}

const servicesKey: unique symbol = Symbol("services");

/**
 * Own properties of each context, so that spreading the context copies their values. The getter functions are shared: V8 (Node 20) keeps a
 * per-object getter and its closure alive until a full GC.
 */
const lazyGetters = Object.fromEntries(
	(["pausing", "children", "journal", "expressions"] as const).map((name) => [
		name,
		{
			enumerable: true,
			get(this: { readonly [servicesKey]: RunServices }) {
				return this[servicesKey][name];
			},
		},
	]),
);

/** Adds the lazy members to a context, and returns the same object. */
export function withLazyMembers<C extends object>(context: C, services: RunServices): C & LazyMembers {
	Object.defineProperty(context, servicesKey, { value: services });
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
	if (!("saveStateWith" in context)) throw new Error("the context of the run was not created by the kernel");
	return context as KernelRunContext;
}
