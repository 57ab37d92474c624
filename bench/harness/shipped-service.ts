import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The service as `npm start` runs it, from start to stop. */
export interface ShippedService {
	readonly pid: number;
	/** Milliseconds from the start of the process until it had answered a request. */
	readonly milliseconds: number;
	stop(): Promise<void>;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const password = randomBytes(12).toString("hex");

/** Start the built command with the configuration of the project, on ports that the system chooses. */
export async function startShipped(dataDirectory: string): Promise<ShippedService> {
	const started = performance.now();
	const child = spawn(process.execPath, ["dist/plugins/_shipped/main.js", "serve", "--config", "svc.config.ts"], {
		cwd: root,
		stdio: ["ignore", "pipe", "inherit"],
		env: {
			...{ PATH: process.env["PATH"], SVC_DATA_DIR: dataDirectory, SVC_ADMIN_PASSWORD: password, SVC_LOG_LEVEL: "warn" },
			...{ SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" },
		},
	});
	const exited = once(child, "exit");
	try {
		// Whoever is told to sign in first has been answered.
		await (await fetch(`${await readAddress(child)}/`)).text();
	} catch (error) {
		child.kill("SIGKILL");
		throw error;
	}
	const milliseconds = performance.now() - started;
	return {
		pid: child.pid ?? 0,
		milliseconds,
		async stop() {
			child.kill("SIGTERM");
			const [code] = await exited;
			if (code !== 0) throw new Error(`the service ended with ${code}`);
		},
	};
}

/** Where its API is, once it has told the address of its last component. */
function readAddress({ stdout }: ChildProcess): Promise<string> {
	return new Promise((resolve, reject) => {
		let text = "";
		stdout?.setEncoding("utf8").on("data", (piece: string) => {
			text += piece;
			const address = /^API\s+(\S+)\n(?:.*\n)*Stream\s/m.exec(text)?.[1];
			if (address !== undefined) resolve(address);
		});
		stdout?.on("end", () => reject(new Error(`the service ended before it was ready: ${text}`)));
	});
}
