import { readFile } from "node:fs/promises";
import { SvcError } from "../../core/contract/index.ts";
import { importPackage } from "../_packages/import-package.ts";
import type { NatsBusSettings, ServerAddress } from "./options.ts";

/** Members of the package `@nats-io/transport-node` that are used here. */
export interface NatsConnection {
	readonly info?: { readonly max_payload: number };
	publish(subject: string, payload: string): void;
	subscribe(
		subject: string,
		options: { readonly callback: (error: Error | null, message: { string(): string }) => void },
	): { unsubscribe(): void };
	/** Resolves when the server has responded; never resolves if the connection is lost. */
	flush(): Promise<void>;
	status(): AsyncIterable<{ readonly type: string; readonly error?: Error }>;
	closed(): Promise<Error | undefined>;
	close(): Promise<void>;
}

type Authenticator = (nonce?: string) => unknown;

interface NatsPackage {
	connect(options: Record<string, unknown>): Promise<NatsConnection>;
	nkeyAuthenticator(seed: Uint8Array): Authenticator;
	credsAuthenticator(creds: Uint8Array): Authenticator;
}

/** Makes one attempt to connect to one server. */
export type Connect = (server: ServerAddress) => Promise<NatsConnection>;

/** Maximum milliseconds for connecting, and milliseconds between two pings. The server may miss two pings. */
const connectTimeout = 5_000;
const pingInterval = 10_000;

/** Creates the connect function. Throws `SVC_CONFIG` if the package is missing or a credential is invalid. */
export async function createConnect(settings: NatsBusSettings): Promise<Connect> {
	const nats = (await importPackage("@nats-io/transport-node", "event bus nats")) as NatsPackage;
	await toAuthenticator(settings, nats);
	return async ({ host, port }) =>
		nats.connect({
			...(await toAuthenticator(settings, nats)),
			servers: [`${host}:${port}`],
			// The caller reconnects instead: an automatic reconnect would lose unsent packets.
			reconnect: false,
			noEcho: true,
			timeout: connectTimeout,
			pingInterval,
			maxPingOut: 2,
			noAsyncTraces: true,
			name: "svc event bus",
			tls: settings.tls === false ? null : settings.tls,
		});
}

async function toAuthenticator({ token, user, password, nkey, creds }: NatsBusSettings, nats: NatsPackage): Promise<object> {
	if (token !== undefined) return { token };
	if (user !== undefined) return { user, pass: password };
	if (nkey !== undefined) return { authenticator: tried("nkey", () => nats.nkeyAuthenticator(Buffer.from(nkey))) };
	if (creds === undefined) return {};
	const file = await readFile(creds).catch((cause: unknown) => {
		throw new SvcError("SVC_CONFIG", `event_bus.creds: file "${creds}" cannot be read`, { cause });
	});
	return { authenticator: tried("creds", () => nats.credsAuthenticator(file)) };
}

/** Creates an authenticator and uses it once, because the package detects an invalid key only then. */
function tried(name: string, create: () => Authenticator): Authenticator {
	try {
		const authenticator = create();
		authenticator("nonce");
		return authenticator;
	} catch {
		// Omit the cause, because it may contain the key.
		throw new SvcError("SVC_CONFIG", `event_bus.${name}: does not contain a valid key`);
	}
}
