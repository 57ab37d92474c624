import {
	type Child,
	type ChildExecutions,
	type ChildRequest,
	type ChildWait,
	type ExecutionEntity,
	isSvcError,
	type JsonObject,
	type Options,
	RunAborted,
	SvcError,
} from "../../../contract/index.ts";
import type { Authority } from "../../basics/authority.ts";
import type { Principal } from "../../basics/principal.ts";
import { cancelExecution, changeStatus } from "../../executions/cancel.ts";
import { type SubmitParts, storeExecution } from "../../executions/submit.ts";
import type { TransitionParts } from "../../executions/transition.ts";
import type { EngineDependencies } from "../../plugins/dependencies.ts";
import type { KnownSecrets } from "../../secrets/known-secrets.ts";
import { findResultSecrets } from "../../secrets/result-secrets.ts";
import { outlastOutage } from "../../work/outage.ts";
import type { Performance } from "../performance.ts";
import { assertRecordable } from "../recordable.ts";
import type { RunRecords } from "../run-records.ts";
import { ChildBook } from "./child-book.ts";
import { childFields, type StoredChild, toChild, toChildId } from "./child-record.ts";
import type { ChildWatch } from "./child-watch.ts";

export interface RunChildrenParts extends SubmitParts, TransitionParts {
	readonly logger: EngineDependencies["logger"];
	readonly options: Pick<Options, "scheduler">;
	readonly authority: Authority;
	readonly records: Pick<RunRecords, "guard">;
	readonly watch: ChildWatch;
	readonly onWaiting: (isWaiting: boolean) => void;
}

/** Have the run know what is secret in what it is told. */
export type Learn = (known: KnownSecrets) => Promise<void>;

const longestKey = 255;
/** What of a parent's context its children have as well: in whose name it was asked for, and where. */
const inherited = ["api_user", "source_channel"] as const;

/** The children of one run. Its members may be taken apart: runners do so with what they are given. */
export class RunChildren implements ChildExecutions {
	readonly #parts: RunChildrenParts;
	readonly #performance: Performance;
	readonly #learn: Learn;
	readonly #book: ChildBook;
	/** All that its children are to keep secret, as it was last sealed. */
	#sealed: { readonly known: KnownSecrets; readonly text: string | null } | undefined;
	#isClosed = false;

	constructor(parts: RunChildrenParts, performance: Performance, learn: Learn) {
		this.#parts = parts;
		this.#performance = performance;
		this.#learn = learn;
		const parentId = performance.execution.id;
		this.#book = new ChildBook({ ...parts, parentId, follow: () => parts.watch.add(parentId, this.#book) });
	}

	/** The run has ended. */
	close(): void {
		this.#isClosed = true;
		this.#book.close();
		this.#parts.watch.remove(this.#performance.execution.id, this.#book);
	}

	readonly start = async (request: ChildRequest): Promise<string> => {
		assertRecordable(request, "what children.start was given");
		if (typeof request.key !== "string" || request.key === "" || request.key.length > longestKey) {
			throw new SvcError("SVC_INVALID", `key: must be a text of 1 to ${longestKey} characters`);
		}
		const id = toChildId(this.#performance.execution.id, request.key);
		return this.#outlast(async () => {
			try {
				this.#book.note(await this.#store(id, request));
			} catch (error) {
				if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
				// Whatever the reason: a child that was started before counts, and may be what stands in the way.
				const [stored] = await this.#find({ id });
				if (stored === undefined) throw isSvcError(error, "SVC_CONFLICT") ? this.#toLost() : error;
				this.#book.note(stored);
			}
			return id;
		});
	};

	readonly find = async (key: string): Promise<Child | undefined> => {
		const [stored] = await this.#outlast(() => this.#find({ id: toChildId(this.#performance.execution.id, key) }));
		return stored && toChild(stored);
	};

	readonly list = async (): Promise<readonly Child[]> => (await this.#outlast(() => this.#find({}))).map(toChild);

	readonly ended = async (id: string, { signal = this.#signal }: ChildWait = {}): Promise<Child> => {
		this.#assertHeld();
		if (!this.#book.knows(id)) this.#book.note(await this.#outlast(() => this.#get(id)));
		return this.#book.ended(id, signal);
	};

	readonly changes = ({ signal = this.#signal }: ChildWait = {}): AsyncIterable<Child> => {
		this.#assertHeld();
		return this.#book.changes(signal);
	};

	readonly result = (id: string): Promise<JsonObject | null> =>
		this.#outlast(async () => {
			const child = await this.#get(id);
			const snapshot = await this.#parts.catalog.snapshot(child.snapshot_id);
			const shown = child.result === null ? [] : findResultSecrets(child.result, snapshot);
			await this.#learn(this.#parts.sealedSecrets.ofExecution(child, snapshot).with(shown));
			return child.result;
		});

	readonly cancel = (id: string): Promise<void> =>
		this.#outlast(async () => {
			const asking = { username: this.#performance.execution.user, isAdmin: false };
			await cancelExecution(this.#parts, await this.#get(id), asking, { byParent: true });
		});

	readonly pause = (id: string): Promise<void> => this.#setStatus(id, "pausing");

	readonly resume = (id: string): Promise<void> => this.#setStatus(id, "resuming");

	async #setStatus(id: string, status: "pausing" | "resuming"): Promise<void> {
		await this.#outlast(async () => changeStatus(this.#parts, await this.#get(id), { status }, await this.#principal()));
	}

	async #store(id: string, { key, action, parameters = {}, context = {}, delay }: ChildRequest): Promise<ExecutionEntity> {
		const { execution, run } = this.#performance;
		const { records, authority, catalog } = this.#parts;
		const principal = await this.#principal();
		const resolved = await catalog.resolve(action);
		if (resolved !== undefined) authority.assertMayRun(principal, resolved.action.ref);
		const { trace_context: _trace, ...given } = run.secrets.withoutToken(context);
		const [pack = ""] = execution.action_ref.split(".", 1);
		const { entity } = await storeExecution(
			this.#parts,
			{
				action,
				parameters: run.secrets.withoutToken(parameters),
				// What has come from outside may stand in it.
				literal: Object.keys(parameters),
				knownSecrets: this.#seal(run.secrets),
				context: { ...this.#inherited(), ...given, parent: { execution_id: execution.id, user: execution.user, pack, key } },
				...(delay !== undefined && { delay }),
			},
			{ ...principal, username: execution.user, ...(execution.author !== null && { author: execution.author }) },
			{ child: { id, parent: execution, alongside: records.guard(execution, run) } },
		);
		return entity;
	}

	/** Whose permissions count, narrowed to the scopes of the key that the run was asked for with. */
	async #principal(): Promise<Principal> {
		const { user, author, scopes } = this.#performance.execution;
		const principal = await this.#parts.authority.principalOf(author ?? user);
		return scopes === null ? principal : { ...principal, isAdmin: false, scopes };
	}

	#inherited(): JsonObject {
		const { context } = this.#performance.execution;
		return Object.fromEntries(inherited.flatMap((name) => (context[name] === undefined ? [] : [[name, context[name]]])));
	}

	#seal(known: KnownSecrets): string | null {
		if (this.#sealed?.known !== known) this.#sealed = { known, text: this.#parts.sealedSecrets.of(known) };
		return this.#sealed.text;
	}

	#find(where: { readonly id?: string }): Promise<readonly StoredChild[]> {
		const { id } = this.#performance.execution;
		const orderBy = [["start_timestamp", "asc"]] as const;
		return this.#parts.storage.find("execution", { where: { ...where, parent_id: id }, fields: childFields, orderBy });
	}

	async #get(id: string): Promise<ExecutionEntity> {
		const child = await this.#parts.storage.get("execution", id);
		if (child?.parent_id === this.#performance.execution.id) return child;
		throw new SvcError("SVC_NOT_FOUND", `execution "${id}" is no child of "${this.#performance.execution.id}"`);
	}

	/** An outage of the storage delays a run and does not end it. */
	async #outlast<T>(attempt: () => Promise<T>): Promise<T> {
		const { execution, run } = this.#performance;
		const { logger } = this.#parts;
		let answer: { readonly value: T } | undefined;
		const isStopping = () => this.#signal.reason instanceof RunAborted && this.#signal.reason.kind === "shutdown";
		await outlastOutage(
			async () => {
				this.#assertHeld();
				answer = { value: await attempt() };
			},
			{
				isOver: () => run.lost || this.#isClosed || isStopping(),
				onOutage: (error) => logger.warn("storage is away, a run waits for it", { execution_id: execution.id, error }),
			},
		);
		return (answer as unknown as { readonly value: T }).value;
	}

	#assertHeld(): void {
		if (this.#performance.run.lost || this.#isClosed) throw this.#toLost();
	}

	#toLost(): SvcError {
		return new SvcError("SVC_CONFLICT", `execution "${this.#performance.execution.id}" is no longer this run's`);
	}

	get #signal(): AbortSignal {
		return this.#performance.run.controller.signal;
	}
}
