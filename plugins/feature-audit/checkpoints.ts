import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { type Options, SvcError, toErrorMessage } from "../../core/contract/index.ts";
import { createId, toTimestamp, type Uses } from "../../core/feature.ts";
import type { AuditChain } from "./audit-chain.ts";
import { toCheckpoint } from "./checkpoint.ts";
import type { AuditCheckpointEntity } from "./entities.ts";
import type { ChainHead } from "./entry-hash.ts";

export interface CheckpointDependencies extends Uses<"storage" | "clock" | "logger"> {
	readonly chain: AuditChain;
	readonly options: Options["audit"];
	/** Absolute path of the key file. */
	readonly keyPath: string;
}

/**
 * Signs the record periodically. Checkpoints are written to the storage, the log, and optionally a file, which may be on another machine.
 */
export class Checkpoints {
	readonly #parts: CheckpointDependencies;
	#key: KeyObject | undefined;
	#waiting = 0;
	#timer: NodeJS.Timeout | undefined;
	/** Promise of the last signature. Signatures are made one after another. Never rejects. */
	#signing: Promise<unknown> = Promise.resolve();

	constructor(parts: CheckpointDependencies) {
		this.#parts = parts;
	}

	start(): void {
		this.#key ??= readCheckpointKey(this.#parts.keyPath);
		const { checkpoint_interval: seconds } = this.#parts.options;
		this.#timer ??= setInterval(() => this.#signLater(), Math.min(seconds * 1_000, 2_147_483_647));
		this.#timer.unref();
	}

	/** Stops the timer. Resolves when the current signing has ended. */
	async stop(): Promise<void> {
		clearInterval(this.#timer);
		this.#timer = undefined;
		await this.#signing;
	}

	/** Counts added entries. Signs the record when enough were added. */
	note(added: number): void {
		this.#waiting += added;
		if (this.#waiting >= this.#parts.options.checkpoint_entries) this.#signLater();
	}

	/** Signs the end of the record. Returns the existing checkpoint if the end is already signed. */
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

	/** Returns a new checkpoint without storing it. */
	of(head: ChainHead): AuditCheckpointEntity {
		const { clock, keyPath } = this.#parts;
		this.#key ??= readCheckpointKey(keyPath);
		return { id: createId(clock), ...toCheckpoint(head, toTimestamp(clock.now()), this.#key) };
	}

	#signLater(): void {
		this.#signing = this.#signing.then(async () => {
			try {
				await this.sign();
			} catch (error) {
				this.#parts.logger.warn("signing the audit record failed; it will be retried", { problem: toErrorMessage(error) });
			}
		});
	}

	/** Writes the checkpoint to the log and the file: a user who can change only the database cannot change these copies. */
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

/** Reads the key that signs checkpoints, or creates it. Throws `SVC_CONFIG` if the file contains anything else. */
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

/** Creates the key file atomically. Two processes that create it at the same time both get the same key. */
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
