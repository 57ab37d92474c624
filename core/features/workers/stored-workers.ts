import { randomBytes } from "node:crypto";
import {
	isSvcError,
	type Logger,
	type PackContentFile,
	type Storage,
	SvcError,
	type WorkerEntity,
	type WorkerJobEntity,
	type WriteOperation,
} from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../../kernel/basics/clock.ts";
import { createId, toStableId } from "../../kernel/basics/ids.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { toExpiry } from "../../kernel/work/lease-time.ts";
import type { Bell } from "./bell.ts";
import { fits } from "./labels.ts";
import type { Sealing } from "./sealing.ts";
import { mostAhead } from "./taken-over.ts";
import type {
	HandedJob,
	JobSpec,
	WorkerEnd,
	WorkerNews,
	WorkerOutput,
	WorkerPiece,
	WorkerPoll,
	Workers,
	WorkerView,
} from "./workers-api.ts";

/** Most that one answer hands over. */
const mostHanded = 16;
/** Most that is looked through at once for what fits a worker. */
const pageSize = 200;

export interface StoredWorkersParts {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly sealing: Sealing;
	readonly bell: Bell;
	/** Seconds for which a worker holds a job. */
	readonly lease: number;
	/** Seconds between looks at the storage. */
	readonly pollInterval: number;
	readonly contents: {
		files(content: string): Promise<readonly PackContentFile[]>;
		readBytes(content: string, start: number, length: number): Promise<Buffer>;
	};
}

/** Who asks about a job, and what of it must be so. */
interface Claim {
	readonly fence: string;
	readonly user: string;
}

/**
 * Answers workers, on any node: what they take, tell and hand over stands in the storage. A job is one worker's from the write that gives it
 * a fence; each later write expects that fence, so that nothing is stored for a worker that the service has given up.
 */
export class StoredWorkers implements Workers {
	readonly #parts: StoredWorkersParts;
	#isOpen = true;

	constructor(parts: StoredWorkersParts) {
		this.#parts = parts;
	}

	/** Nobody waits for work here from now on. */
	close(): void {
		this.#isOpen = false;
		this.#parts.bell.ring("work", "");
	}

	open(): void {
		this.#isOpen = true;
	}

	async list(): Promise<readonly WorkerView[]> {
		const { storage, clock } = this.#parts;
		const now = toTimestamp(clock.steady());
		const found = await storage.find("worker", { orderBy: [["expires_at", "desc"]], limit: pageSize });
		const byName = found.sort((one, other) => (one.name === other.name ? 0 : one.name < other.name ? -1 : 1));
		return byName.map((worker) => ({ worker, isAlive: worker.expires_at > now }));
	}

	async poll(poll: WorkerPoll, { username }: Principal, signal: AbortSignal): Promise<WorkerNews> {
		const { lease, bell } = this.#parts;
		const worker = toStableId(`worker ${username} ${poll.instance}`);
		await this.#note(worker, poll, username);
		const held = await this.#renew(worker, poll);
		const deadline = performance.now() + Math.min(poll.wait, lease / 3) * 1_000;
		for (;;) {
			const rung = new AbortController();
			const forget = bell.on(({ about }) => about === "work" && rung.abort());
			try {
				const news = await this.#look(worker, { poll, username, held, signal });
				const isNew = news.jobs.length + news.stops.length + news.lost.length > 0;
				const left = deadline - performance.now();
				if (isNew || left <= 0 || signal.aborted || !this.#isOpen) return { lease, ...news };
				await waitFor([rung.signal, signal], Math.min(left, this.#parts.pollInterval * 1_000));
			} finally {
				forget();
			}
		}
	}

	async labelOf(id: string): Promise<string> {
		return (await this.#parts.storage.get("worker_job", id))?.labels[0] ?? "-";
	}

	async output(job: string, { fence, sequence, pieces }: WorkerOutput, { username: user }: Principal): Promise<boolean> {
		const { bell } = this.#parts;
		const claim = { fence, user };
		const found = await this.#need(job, claim);
		if (sequence <= found.sequence) return true;
		if (sequence - found.consumed > mostAhead) return false;
		const update = {
			update: "worker_job",
			id: job,
			patch: { sequence },
			expected: { ...claim, status: "taken", sequence: sequence - 1 },
		} as const;
		await this.#write(job, claim, { sequence, operations: [update, this.#toInsert(job, sequence, pieces)] });
		bell.ring("news", job);
		return true;
	}

	async end(job: string, given: WorkerEnd, { username: user }: Principal): Promise<void> {
		const { storage, sealing, bell } = this.#parts;
		const { fence, sequence, pieces, ...result } = given;
		const claim = { fence, user };
		const found = await storage.get("worker_job", job);
		// An answer that was lost; the first end counts.
		if (found?.status === "ended" && found.fence === fence && found.user === user) return;
		const isLast = pieces.length > 0 && sequence > (found?.sequence ?? 0);
		const patch = { status: "ended", result: sealing.close(result), ...(isLast && { sequence }) } as const;
		const before = isLast ? sequence - 1 : (found?.sequence ?? 0);
		const update = { update: "worker_job", id: job, patch, expected: { ...claim, status: "taken", sequence: before } } as const;
		const inserts = isLast ? [this.#toInsert(job, sequence, pieces)] : [];
		await this.#write(job, claim, { sequence: before + 1, operations: [update, ...inserts] });
		bell.ring("news", job);
	}

	async files(job: string, fence: string, { username: user }: Principal): Promise<readonly PackContentFile[]> {
		const { content } = await this.#need(job, { fence, user });
		return content === null ? [] : this.#parts.contents.files(content);
	}

	async bytes(
		job: string,
		{ fence, start, length }: { readonly fence: string; readonly start: number; readonly length: number },
		{ username: user }: Principal,
	): Promise<Buffer> {
		const { content } = await this.#need(job, { fence, user });
		return content === null ? Buffer.alloc(0) : this.#parts.contents.readBytes(content, start, length);
	}

	/** Remember that the worker is there. */
	async #note(id: string, poll: WorkerPoll, user: string): Promise<void> {
		const { storage, clock, lease } = this.#parts;
		const { name, hostname, pid, version, places, draining, labels, runners, jobs } = poll;
		const seen_at = toTimestamp(clock.now());
		const changing = { places, running: jobs.length, draining, seen_at, expires_at: toExpiry(clock, lease) };
		if ((await storage.update("worker", id, changing)) !== undefined) return;
		const entity: WorkerEntity = { id, name, user, hostname, pid, version, started_at: seen_at, labels, runners, ...changing };
		// Another request of the same worker may have been faster.
		await storage.insert("worker", [entity]).catch((error: unknown) => {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		});
		await storage.remove("worker", { where: { expires_at: { lt: toTimestamp(clock.steady() - forgottenAfter) } } });
		this.#parts.logger.info("worker has come", { worker: name, user, hostname });
	}

	/** Ids of what is the worker's still. */
	async #renew(worker: string, { jobs }: WorkerPoll): Promise<ReadonlyMap<string, WorkerJobEntity>> {
		const { storage, clock, lease } = this.#parts;
		if (jobs.length === 0) return new Map();
		const where = { id: { in: jobs.map(({ id }) => id) }, fence: { in: jobs.map(({ fence }) => fence) }, worker, status: "taken" } as const;
		const renewed = await storage.claim("worker_job", { where, limit: jobs.length }, { lease_expires_at: toExpiry(clock, lease) });
		return new Map(renewed.map((job) => [job.id, job]));
	}

	async #look(worker: string, request: Request): Promise<Omit<WorkerNews, "lease">> {
		const { poll, held } = request;
		const { storage } = this.#parts;
		const listed = new Map(poll.jobs.map((job) => [job.id, job]));
		const own = await storage.find("worker_job", { where: { worker, status: "taken" } });
		const stops = own.flatMap(({ id, stop: kind }) => (kind !== null && listed.get(id)?.told === false ? [{ id, kind }] : []));
		const lost = [...listed.keys()].filter((id) => !held.has(id));
		// It was given these by an answer that it has not got: requests of a worker come one after another.
		const again = own.filter(({ id }) => !listed.has(id));
		const taken = request.signal.aborted || !this.#isOpen ? [] : await this.#take(worker, request, poll.free - again.length);
		return { jobs: [...again, ...taken].slice(0, mostHanded).map((job) => this.#toHanded(job)), stops, lost };
	}

	/** Some of what waits and fits. */
	async #take(worker: string, { poll, username: user }: Request, free: number): Promise<readonly WorkerJobEntity[]> {
		const { storage, clock, lease } = this.#parts;
		const taken: WorkerJobEntity[] = [];
		if (poll.draining) return taken;
		for (let after = ""; taken.length < Math.min(free, mostHanded); ) {
			const waiting = await storage.find("worker_job", {
				where: { status: "waiting", id: { gt: after } },
				orderBy: [["id", "asc"]],
				limit: pageSize,
				fields: ["id", "runner", "labels"],
			});
			for (const { id } of waiting.filter((job) => fits(poll, job)).slice(0, free - taken.length)) {
				const lease_expires_at = toExpiry(clock, lease);
				const fence = randomBytes(16).toString("hex");
				const patch = { status: "taken", worker, worker_name: poll.name, user, fence, lease_expires_at } as const;
				const job = await storage.update("worker_job", id, patch, { status: "waiting" });
				if (job !== undefined) taken.push(job);
			}
			if (waiting.length < pageSize) break;
			after = waiting.at(-1)?.id ?? "";
		}
		for (const { id } of taken) this.#parts.bell.ring("news", id);
		return taken;
	}

	#toHanded({ id, fence, execution_id, runner, spec }: WorkerJobEntity): HandedJob {
		return { id, fence: fence ?? "", execution_id, runner, spec: this.#parts.sealing.open<JobSpec>(spec) };
	}

	#toInsert(job: string, sequence: number, pieces: readonly WorkerPiece[]): WriteOperation {
		const { clock, sealing } = this.#parts;
		return { insert: "worker_output", entities: [{ id: createId(clock), job, sequence, data: sealing.close(pieces) }] };
	}

	/** `SVC_CONFLICT` unless the job is this worker's; nothing says whether there is such a job. */
	async #need(id: string, claim: Claim): Promise<WorkerJobEntity> {
		const job = await this.#parts.storage.get("worker_job", id);
		if (job?.status === "taken" && job.fence === claim.fence && job.user === claim.user) return job;
		throw toStale(id);
	}

	/** What was stored by a request whose answer was lost is not stored again. */
	async #write(
		job: string,
		claim: Claim,
		{ sequence, operations }: { readonly sequence: number; readonly operations: readonly WriteOperation[] },
	): Promise<void> {
		try {
			await this.#parts.storage.write(operations);
		} catch (error) {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			const found = await this.#need(job, claim);
			if (found.sequence >= sequence) return;
			throw new SvcError("SVC_INVALID", `sequence: must be ${found.sequence + 1}, the one behind what was stored`);
		}
	}
}

/** Says nothing of whether there is such a job. */
function toStale(id: string): SvcError {
	return new SvcError("SVC_CONFLICT", `job "${id}" is not this worker's, or not any more`);
}

interface Request {
	readonly poll: WorkerPoll;
	readonly username: string;
	readonly held: ReadonlyMap<string, WorkerJobEntity>;
	readonly signal: AbortSignal;
}

/** Microseconds after which a worker that has gone is no longer listed. */
const forgottenAfter = 86_400_000_000;

/** Resolves when one of them aborts, or after so many milliseconds. */
async function waitFor(signals: readonly AbortSignal[], milliseconds: number): Promise<void> {
	await new Promise<void>((resolve) => {
		const done = () => {
			clearTimeout(timer);
			for (const signal of signals) signal.removeEventListener("abort", done);
			resolve();
		};
		const timer = setTimeout(done, milliseconds);
		for (const signal of signals) signal.addEventListener("abort", done);
		if (signals.some(({ aborted }) => aborted)) done();
	});
}
