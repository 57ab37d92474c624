import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { type AuditCheckpointEntity, type Options, SvcError, toErrorMessage } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId } from "../../kernel/basics/ids.ts";
import type { AuditChain } from "./audit-chain.ts";
import type { Head } from "./chain.ts";
import { toCheckpoint } from "./checkpoint.ts";

export interface CheckpointOptions extends Uses<"storage" | "clock" | "logger"> {
	readonly chain: AuditChain;
	readonly options: Options["audit"];
	/** Absolute. */
	readonly keyPath: string;
}

/** Signs the record now and then: in the storage, in the log, and in a file that may lie elsewhere. */
export class Checkpoints {
	readonly #parts: CheckpointOptions;
	#key: KeyObject | undefined;
	#waiting = 0;
	#timer: NodeJS.Timeout | undefined;
	/** One at a time; never rejects. */
	#signing: Promise<unknown> = Promise.resolve();

	constructor(parts: CheckpointOptions) {
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

/** The key that signs checkpoints, made where there is none. `SVC_CONFIG` for a file that holds something else. */
function readCheckpointKey(path: string): KeyObject {
	const text = readText(path) ?? createKey(path);
	let key: KeyObject;
	try {
		key = createPrivateKey(text);
	} catch (error) {
		throw damaged(path, error);
	}
	if (key.asymmetricKeyType !== "ed25519") throw damaged(path, undefined);
	return key;
}

function damaged(path: string, cause: unknown): SvcError {
	return new SvcError("SVC_CONFIG", `audit.checkpoint_key_path: "${path}" must be an Ed25519 private key (PEM)`, { cause });
}

function readText(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw new SvcError("SVC_CONFIG", `audit.checkpoint_key_path: "${path}" cannot be read: ${toErrorMessage(error)}`, { cause: error });
	}
}

/** Of two processes that make one at the same time, both get the same. */
function createKey(path: string): string {
	const temporary = `${path}.${process.pid}`;
	const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
	writeFileSync(temporary, pem, { mode: 0o600, flush: true });
	try {
		linkSync(temporary, path);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	} finally {
		unlinkSync(temporary);
	}
	return readFileSync(path, "utf8");
}
