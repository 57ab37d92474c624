import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findFreePort } from "../../core/testing/services/free-port.test-support.ts";
import { type ServerProcess, startServerProcess } from "../../core/testing/services/server-process.test-support.ts";
import { findCommand } from "../../core/testing/test-requirements.ts";

/** Slurm's accounting: slurmdbd and a database of its own. */
export class Accounting {
	readonly port: number;
	readonly #conf: string;
	readonly #database: ServerProcess;
	#daemon: ServerProcess | undefined;

	private constructor(port: number, conf: string, database: ServerProcess) {
		this.port = port;
		this.#conf = conf;
		this.#database = database;
	}

	/** @param directory with munge's socket, and where slurm.conf will be */
	static async create(directory: string): Promise<Accounting> {
		const [port, databasePort] = [await findFreePort(), await findFreePort()];
		const lines = [
			...["AuthType=auth/munge", `AuthInfo=socket=${directory}/munge/socket`, "SlurmUser=root", "DbdHost=localhost", `DbdPort=${port}`],
			...["StorageType=accounting_storage/mysql", "StorageHost=127.0.0.1", `StoragePort=${databasePort}`, "StorageUser=root"],
			...["StorageLoc=accounting", `PidFile=${directory}/slurmdbd.pid`, ""],
		];
		// Slurm wants it beside slurm.conf, closed to others.
		await writeFile(join(directory, "slurmdbd.conf"), lines.join("\n"), { mode: 0o600 });
		return new Accounting(port, join(directory, "slurm.conf"), await startDatabase(directory, databasePort));
	}

	async start(): Promise<void> {
		const env = { ...process.env, SLURM_CONF: this.#conf };
		this.#daemon = await startServerProcess(findCommand("slurmdbd") ?? "slurmdbd", ["-D"], { ready: /slurmdbd version .* started/, env });
	}

	/** As an outage does. */
	async stop(): Promise<void> {
		await this.#daemon?.end("SIGKILL");
	}

	async end(): Promise<void> {
		await this.stop();
		await this.#database.end("SIGTERM");
	}
}

/** Without tables of its own, users and passwords: on an empty directory it begins at once. */
async function startDatabase(directory: string, port: number): Promise<ServerProcess> {
	const data = join(directory, "data");
	await mkdir(data);
	const lean = ["--skip-grant-tables", "--performance-schema=OFF", "--innodb-buffer-pool-size=8M", "--innodb-flush-method=nosync"];
	const places = [`--datadir=${data}`, `--socket=${directory}/database`, "--bind-address=127.0.0.1", `--port=${port}`];
	const command = findCommand("mariadbd") ?? "mariadbd";
	return startServerProcess(command, ["--no-defaults", "--user=root", ...lean, ...places], { ready: /ready for connections/ });
}
