import type { RequestListener } from "node:http";
import type { H3 } from "h3";
import { type Listener, listen } from "listhen";
import { type Logger, SvcError, toErrorMessage } from "../contract/index.ts";
import { readCertificate, watchCertificate } from "./certificate.ts";
import { answerMalformedRequests } from "./malformed-requests.ts";
import { createNodeHandler } from "./node-handler.ts";
import type { ServerAddress } from "./server-address.ts";

/** Milliseconds that requests in progress get before their connections are closed. */
const closeGraceMs = 2_000;

/** An open listener. */
export interface Server {
	/** Address with the actual port, without a trailing slash. */
	readonly url: string;
	/** Waits up to two seconds for requests in progress, then closes all connections. Event streams must have ended before. */
	stop(): Promise<void>;
}

/** Opens a listener, with TLS if `address.use_ssl` is true. Throws `SVC_CONFIG` naming the option that is wrong. */
export async function startServer(app: H3, address: ServerAddress, logger: Logger): Promise<Server> {
	const certificate = address.use_ssl ? await readCertificate(address) : undefined;
	const listener = await open(createNodeHandler(app, logger), address, certificate);
	answerMalformedRequests(listener.server);
	const certificateWatch = certificate === undefined ? undefined : watchCertificate(address, listener.server, logger);
	return {
		url: toUrl(listener, address),
		async stop() {
			certificateWatch?.stop();
			await stopServer(listener);
		},
	};
}

async function open(
	handler: RequestListener,
	address: ServerAddress,
	certificate: { cert: string; key: string } | undefined,
): Promise<Listener> {
	const options: Parameters<typeof listen>[1] = {
		isProd: true,
		autoClose: false,
		showURL: false,
		qr: false,
		clipboard: false,
		open: false,
		hostname: address.host,
		port: address.port === 0 ? { random: true, host: address.host } : address.port,
		...(certificate !== undefined && { https: certificate }),
	};
	try {
		return await listen(handler, options);
	} catch (error) {
		throw new SvcError(
			"SVC_CONFIG",
			`${address.section}.${address.option ?? "port"}: cannot listen on ${address.host} port ${address.port}: it is taken by another program, or not allowed (${toErrorMessage(error)})`,
			{ cause: error },
		);
	}
}

function toUrl(listener: Listener, { host, use_ssl }: ServerAddress): string {
	const port = listener.address.port;
	const name = host === "0.0.0.0" || host === "::" || host === "" ? "localhost" : host;
	return `${use_ssl ? "https" : "http"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

async function stopServer(listener: Listener): Promise<void> {
	const { server } = listener;
	const timer = setTimeout(() => server.closeAllConnections(), closeGraceMs);
	try {
		await listener.close();
	} finally {
		clearTimeout(timer);
		server.closeAllConnections();
	}
}
