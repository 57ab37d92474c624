import { dirname, resolve } from "node:path";
import type { FirstUser } from "./engine/engine-api.ts";
import { loadConfig } from "./load-config.ts";
import { type Addresses, createService, type Service } from "./service.ts";

export interface ServeContext {
	/** Path of the configuration file. */
	readonly config: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly print: (line: string) => void;
}

/**
 * `svc serve`: run the service of a configuration file until INT or TERM. The first signal stops it in order, a second one
 * ends the process at once. The exit code is 0 after an orderly stop.
 */
export async function serve({ config, env, print }: ServeContext): Promise<number> {
	const file = resolve(config);
	const service = createService(await loadConfig(file), {
		env,
		directory: dirname(file),
		...(env["SVC_ADMIN_PASSWORD"] !== undefined && { adminPassword: env["SVC_ADMIN_PASSWORD"] }),
		onFirstUser: (user) => printFirstUser(user, print),
	});
	const stopped = stopOnSignal(service);
	try {
		const { addresses } = await Promise.race([service.start(), stopped.promise.then(() => ({ addresses: {} }))]);
		printAddresses(addresses, print);
		await stopped.promise;
		return 0;
	} finally {
		stopped.forget();
	}
}

/** npm passes on the signal that the terminal has sent already: within these milliseconds it is the same request. */
const repeatTime = 500;

function stopOnSignal(service: Service): { readonly promise: Promise<void>; forget(): void } {
	let forget = () => {};
	const promise = new Promise<void>((done, fail) => {
		let first: number | undefined;
		const listener = () => {
			if (first === undefined) {
				first = performance.now();
				service.stop().then(done, fail);
			} else if (performance.now() - first > repeatTime) {
				// Whoever asks twice does not want to wait; what was running is found again at the next start.
				process.exit(1);
			}
		};
		process.on("SIGINT", listener).on("SIGTERM", listener);
		forget = () => void process.off("SIGINT", listener).off("SIGTERM", listener);
	});
	return { promise, forget };
}

function printAddresses({ api, auth, stream }: Addresses, print: (line: string) => void): void {
	if (api !== undefined) print(`API             ${api}/v1`);
	if (auth !== undefined) print(`Authentication  ${auth}/auth/v1/tokens`);
	if (stream !== undefined) print(`Stream          ${stream}/v1/stream`);
}

function printFirstUser({ username, password }: FirstUser, print: (line: string) => void): void {
	print(`First start: user "${username}" was made.`);
	print(password === undefined ? "Its password is the one in SVC_ADMIN_PASSWORD." : `Its password, shown only this once: ${password}`);
}
