import type { KeyObject } from "node:crypto";
import { appendFile } from "node:fs/promises";
import { type AuditCheckpointEntity, type Logger, type Options, type Storage, toErrorMessage } from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../../kernel/basics/clock.ts";
import { createId } from "../../kernel/basics/ids.ts";
import type { AuditChain } from "./audit-chain.ts";
import type { Head } from "./chain.ts";
import { toCheckpoint } from "./checkpoint.ts";
import { readCheckpointKey } from "./checkpoint-key.ts";

export interface CheckpointParts {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly chain: AuditChain;
	readonly options: Options["audit"];
	/** Absolute. */
	readonly keyPath: string;
}

/** Signs the record now and then: in the storage, in the log, and in a file that may lie elsewhere. */
export class Checkpoints {
	readonly #parts: CheckpointParts;
	#key: KeyObject | undefined;
	#waiting = 0;
	#timer: NodeJS.Timeout | undefined;
	/** One at a time; never rejects. */
	#signing: Promise<unknown> = Promise.resolve();

	constructor(parts: CheckpointParts) {
		this.#parts = parts;
	}

	start(): void {
		this.#key ??= readCheckpointKey(this.#parts.keyPath);
		const { checkpoint_interval: seconds } = this.#parts.options;
		this.#timer ??= setInterval(() => this.#signLater(), Math.min(seconds * 1_000, 2_147_483_647));
		this.#timer.unref();
	}

	/** With the end of the record, if nobody has signed that. */
	async stop(): Promise<void> {
		clearInterval(this.#timer);
		this.#timer = undefined;
		await this.#signing;
	}

	/** Entries have been added. */
	note(added: number): void {
		this.#waiting += added;
		if (this.#waiting >= this.#parts.options.checkpoint_entries) this.#signLater();
	}

	/** Sign the end of the record. */
	async sign(): Promise<AuditCheckpointEntity> {
		const { storage, chain } = this.#parts;
		this.#waiting = 0;
		const head = await chain.head();
		const [known] = await storage.find("audit_checkpoint", { where: { number: head.number, hash: head.hash }, limit: 1 });
		if (known !== undefined) return known;
		const entity = this.of(head);
		await storage.insert("audit_checkpoint", [entity]);
		await this.#tell(entity);
		return entity;
	}

	/** Signed, and kept nowhere yet. */
	of(head: Head): AuditCheckpointEntity {
		const { clock, keyPath } = this.#parts;
		this.#key ??= readCheckpointKey(keyPath);
		return { id: createId(clock), ...toCheckpoint(head, toTimestamp(clock.now()), this.#key) };
	}

	#signLater(): void {
		this.#signing = this.#signing.then(async () => {
			try {
				await this.sign();
			} catch (error) {
				this.#parts.logger.warn("the audit record could not be signed; it is tried again", { problem: toErrorMessage(error) });
			}
		});
	}

	/** Where somebody who can change the storage cannot reach what was signed. */
	async #tell({ id, ...checkpoint }: AuditCheckpointEntity): Promise<void> {
		const { logger, options } = this.#parts;
		logger.info("audit checkpoint", checkpoint);
		if (options.checkpoint_file === "") return;
		await appendFile(options.checkpoint_file, `${JSON.stringify({ checkpoint })}\n`, { mode: 0o600 }).catch((error: unknown) => {
			logger.error("a checkpoint of the audit record could not be written to its file", {
				file: options.checkpoint_file,
				problem: toErrorMessage(error),
			});
		});
	}
}
