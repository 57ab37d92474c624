import { setTimeout as delay } from "node:timers/promises";
import { type JsonObject, type Logger, type RunContext, SvcError } from "../../core/contract/index.ts";
import type { ContainerSpec } from "./container-spec.ts";
import type { ContainerView, Engine } from "./engine.ts";
import { EngineRefusal, type EngineUnreachable } from "./engine-client.ts";
import { type OutputContext, OutputRefused, recordOutput } from "./output-pass.ts";
import { toLeaving, untilReached } from "./reach.ts";

/** How a container has ended. `left`: it goes on without us. `unstarted`: it never began, and will not. `gone`: somebody has removed it. */
export type ContainerEnd =
	| { readonly exitCode: number; readonly outOfMemory: boolean; readonly error: string }
	| "left"
	| "unstarted"
	| "gone";

/** What a container is made of, worked out where one is needed. */
export interface PreparedContainer extends ContainerSpec {
	/** Put below `directory` of the container before it begins. */
	readonly files?: { readonly directory: string; readonly archive: Buffer };
	/** As `X-Registry-Auth` has them. */
	readonly credentials?: string | undefined;
}

export interface ContainerRunParts {
	readonly engine: Engine;
	readonly logger: Logger;
	readonly context: OutputContext & Pick<RunContext, "signal" | "saveState" | "liveaction_id" | "execution_id">;
	/** Made of the live action's id: who finds it taken has found their own. */
	readonly name: string;
	prepare(): Promise<PreparedContainer>;
	/** Seconds between TERM and KILL. */
	readonly grace: number;
	/** Called before an image is pulled, which may take long. */
	onImagePull(image: string): Promise<void>;
}

/** Milliseconds: between looks at a container that is waited for, after a stream that has ended too early, for the last lines of a live stream. */
const lookEvery = 10_000;
const shortPause = 200;
const lastLines = 1_000;

/** Name of the label with the live action's id. */
export const liveactionLabel = "svc.liveaction";

/**
 * One container from its making to its end. States: `prepared` is saved before anything is asked of the engine, `starting` before the container is
 * begun. A container that was begun is never begun a second time: it is looked at before each try.
 */
export class ContainerRun {
	readonly #parts: ContainerRunParts;
	/** Aborts when the service stops: all else waits until the engine has done it. */
	readonly #left: AbortSignal;
	#isOutage = false;

	constructor(parts: ContainerRunParts) {
		this.#parts = parts;
		this.#left = toLeaving(parts.context.signal);
	}

	async run(): Promise<ContainerEnd> {
		const { context, name } = this.#parts;
		if (context.signal.aborted) return "unstarted";
		const prepared = await this.#parts.prepare();
		await context.saveState({ container: name, phase: "prepared" });
		return this.#begin(prepared, { isNew: true });
	}

	/** Undefined: there is no such container, and it may have run. */
	async recover(state: JsonObject): Promise<ContainerEnd | undefined> {
		const { context, name } = this.#parts;
		if (state["container"] !== name) return undefined;
		const answer = await this.#reach(this.#left, async () => ({ found: await this.#look() }));
		if (answer === undefined) return "left";
		const { found } = answer;
		if (found !== undefined && found.phase !== "created") return this.#follow();
		if (context.signal.aborted) return this.#abandon();
		// Before it was to begin, whoever had the run needed a last word from the service, which they do not get any more.
		if (found === undefined && state["phase"] !== "prepared") return undefined;
		return this.#begin(await this.#parts.prepare(), { isNew: false });
	}

	async #begin(prepared: PreparedContainer, { isNew }: { readonly isNew: boolean }): Promise<ContainerEnd> {
		const { context, name } = this.#parts;
		const made = await this.#reach(context.signal, async () => ({ isNew: await this.#make(prepared, isNew) }));
		if (made === undefined) return this.#abandon();
		await context.saveState({ container: name, phase: "starting" });
		const started = await this.#reach(context.signal, () => this.#start());
		if (started === undefined) return this.#isLeft() ? "left" : this.#endStarted();
		return started === "gone" ? "gone" : this.#follow();
	}

	/** Pull, create, upload: each may have been done before. */
	async #make({ image, pull, body, credentials, files }: PreparedContainer, isNew: boolean): Promise<boolean> {
		const { engine, name, context } = this.#parts;
		const { signal } = context;
		const isThere = !isNew && (await this.#look()) !== undefined;
		if (!isThere) {
			if (pull === "always" || (pull === "missing" && !(await engine.hasImage(image, signal)))) {
				await this.#parts.onImagePull(image);
				await refusing(`image "${image}" cannot be pulled`, engine.pull(image, credentials, signal));
			}
			await this.#create(body);
		}
		if (files !== undefined)
			await refusing("files cannot be put into the container", engine.upload(name, files.directory, files.archive, signal));
		return true;
	}

	async #create(body: object): Promise<void> {
		const { engine, name, context } = this.#parts;
		try {
			await engine.create(name, body, context.signal);
		} catch (error) {
			if (!(error instanceof EngineRefusal)) throw error;
			// The answer to an earlier try may have been lost.
			if ((await this.#look()) !== undefined) return;
			throw new SvcError("SVC_RUNNER", `the container cannot be made: ${error.message}`, { cause: error });
		}
	}

	/** Once: one that has ended would run again. */
	async #start(): Promise<"started" | "gone"> {
		const { engine, name, context } = this.#parts;
		const found = await this.#look();
		if (found === undefined) return "gone";
		if (found.phase !== "created") return "started";
		try {
			await engine.start(name, context.signal);
		} catch (error) {
			if (!(error instanceof EngineRefusal)) throw error;
			const now = await this.#look();
			if (now !== undefined && now.phase !== "created") return "started";
			throw new SvcError("SVC_RUNNER", `the container cannot be started: ${error.message}`, { cause: error });
		}
		return "started";
	}

	/** Record what it prints, until its end. */
	async #follow(): Promise<ContainerEnd> {
		const live = new AbortController();
		const refused = new AbortController();
		const reading = this.#readLive(AbortSignal.any([live.signal, this.#left])).catch((error: unknown) => refused.abort(error));
		try {
			const end = await this.#untilEnded(refused.signal);
			if (end !== "left" && !refused.signal.aborted) await Promise.race([reading, delay(lastLines, undefined, { ref: false })]);
			live.abort();
			await reading;
			if (refused.signal.aborted) throw toCause(refused.signal.reason);
			if (end !== "left" && end !== "gone") await this.#readRest();
			return this.#isLeft() ? "left" : end;
		} finally {
			live.abort();
			await reading;
		}
	}

	/** While it runs: whatever is lost of a stream is read by the next one. */
	async #readLive(signal: AbortSignal): Promise<void> {
		const { engine, name, context } = this.#parts;
		while (!signal.aborted) {
			try {
				const response = await engine.logs(name, true, signal);
				if (response === undefined) return;
				await recordOutput(response, context, false);
				if ((await engine.look(name, signal))?.phase === "ended") return;
			} catch (error) {
				if (error instanceof OutputRefused) throw error;
				// Whether it can be reached is the other loop's to say.
			}
			await delay(shortPause, undefined, { signal }).catch(() => {});
		}
	}

	/** After its end, once more from the beginning: engines do not send the last lines for certain to those who follow. */
	async #readRest(): Promise<void> {
		const { engine, name, context } = this.#parts;
		const signal = this.#left;
		await this.#reach(signal, async () => {
			const response = await engine.logs(name, false, signal);
			if (response !== undefined) await recordOutput(response, context, true);
			return true;
		}).catch((error: unknown) => {
			throw error instanceof OutputRefused ? toCause(error) : error;
		});
	}

	async #untilEnded(refused: AbortSignal): Promise<ContainerEnd> {
		const { context } = this.#parts;
		let ending: Promise<unknown> | undefined;
		while (!this.#isLeft() && !refused.aborted) {
			if (context.signal.aborted) ending ??= this.#end();
			const signals = ending === undefined ? [refused, context.signal] : [refused, this.#left];
			const waited = await this.#waitAWhile(AbortSignal.any(signals));
			const answer = await this.#reach(AbortSignal.any([refused, this.#left]), async () => ({ found: await this.#look() }));
			if (answer === undefined) continue;
			const { found } = answer;
			if (found === undefined) return "gone";
			if (found.phase === "ended" && waited !== undefined)
				return { exitCode: waited.exitCode ?? found.exitCode, outOfMemory: found.outOfMemory, error: found.error };
			if (found.phase === "created" && context.signal.aborted) return this.#abandon();
			if (waited !== undefined) await delay(shortPause);
		}
		return "left";
	}

	/** Undefined: it is time to look how things are. */
	async #waitAWhile(until: AbortSignal): Promise<{ readonly exitCode: number | undefined } | undefined> {
		const signal = AbortSignal.any([until, AbortSignal.timeout(lookEvery)]);
		return this.#parts.engine.wait(this.#parts.name, signal).catch(() => undefined);
	}

	/** TERM, and KILL after the grace. */
	async #end(): Promise<void> {
		const { engine, name, grace, logger, context } = this.#parts;
		await this.#reach(this.#left, async () => {
			await engine.end(name, grace);
			return true;
		}).catch((error: unknown) => logger.warn("container could not be ended", { execution_id: context.execution_id, error }));
	}

	/** What was asked to begin may have begun. */
	async #endStarted(): Promise<ContainerEnd> {
		const answer = await this.#reach(this.#left, async () => ({ found: await this.#look() }));
		if (answer === undefined) return "left";
		return answer.found === undefined || answer.found.phase === "created" ? this.#abandon() : this.#follow();
	}

	/** It has not begun, and must not. */
	async #abandon(): Promise<ContainerEnd> {
		if (this.#isLeft()) return "left";
		const { engine, name } = this.#parts;
		await this.#reach(this.#left, async () => {
			if ((await this.#look()) !== undefined) await engine.remove(name);
			return true;
		});
		return this.#isLeft() ? "left" : "unstarted";
	}

	/** Throws where somebody else has the name. */
	async #look(): Promise<ContainerView | undefined> {
		const { engine, name, context } = this.#parts;
		const found = await engine.look(name);
		if (found !== undefined && found.labels[liveactionLabel] !== context.liveaction_id) {
			throw new SvcError("SVC_RUNNER", `the engine has a container "${name}" that is not this run's`);
		}
		return found;
	}

	async #reach<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
		const { logger, context } = this.#parts;
		const result = await untilReached(signal, work, (error: EngineUnreachable) => {
			if (!this.#isOutage)
				logger.warn("container engine cannot be reached, a run waits for it", { execution_id: context.execution_id, error });
			this.#isOutage = true;
		});
		if (result !== undefined) this.#isOutage = false;
		return result;
	}

	#isLeft(): boolean {
		return this.#left.aborted;
	}
}

/** What the engine refuses, with what it was about. */
async function refusing<T>(what: string, work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		if (error instanceof EngineRefusal) throw new SvcError("SVC_RUNNER", `${what}: ${error.message}`, { cause: error });
		throw error;
	}
}

const toCause = (error: unknown) => (error instanceof OutputRefused ? error.cause : error);
