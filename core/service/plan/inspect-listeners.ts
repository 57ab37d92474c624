import { request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { createServer } from "node:net";
import type { Finding, PlannedListener } from "../../cli/service-plan.ts";
import type { NodeRole, Options } from "../../contract/index.ts";
import { readCertificate } from "../../http/certificate.ts";
import { type NamedListener, selectEnabledListeners } from "../../http/listeners.ts";
import { toFindings } from "./to-findings.ts";

/** Milliseconds to wait for the answer of a program that listens on an occupied port. */
const answerTimeoutMs = 2_000;

export interface ListenerReport {
	readonly listeners: readonly PlannedListener[];
	readonly problems: readonly Finding[];
	readonly warnings: readonly Finding[];
}

/** Returns the listeners of a node, and whether their ports are free. To find out, it binds each port and releases it at once. */
export async function inspectListeners(options: Options, roles: readonly NodeRole[]): Promise<ListenerReport> {
	const problems: Finding[] = [];
	const warnings: Finding[] = [];
	const listeners: PlannedListener[] = [];
	const seen = new Map<string, string>();
	for (const plan of selectEnabledListeners(options, roles)) {
		const { name, address } = plan;
		const { host, port, use_ssl: tls } = address;
		const path = `${address.section}.${address.option ?? "port"}`;
		const other = port === 0 ? undefined : seen.get(`${host} ${port}`);
		seen.set(`${host} ${port}`, path);
		if (tls) await readCertificate(address).catch((error: unknown) => problems.push(...toFindings(error, path)));
		const refusal = await tryPort(host, port);
		const state = refusal === undefined ? "free" : refusal === "EADDRINUSE" && (await isService(plan)) ? "svc" : "taken";
		listeners.push({ name, host, port, tls, state });
		const place = `${host} port ${port}`;
		if (other !== undefined)
			problems.push({ path, message: `${place} is also the port of ${other}`, hint: "use a different port for each listener" });
		else if (state === "svc") warnings.push({ path, message: `a running svc listens on ${place}`, hint: "stop it first" });
		else if (refusal !== undefined) problems.push({ path, message: describe(refusal, place), hint: "choose another port or host" });
		if (!tls && isForAll(host))
			warnings.push({
				path,
				message: `${place} is reachable from all networks without TLS`,
				hint: "set use_ssl, or use a reverse proxy and host 127.0.0.1",
			});
	}
	return { listeners, problems, warnings };
}

function describe(refusal: string, place: string): string {
	if (refusal === "EADDRINUSE") return `${place} is used by another program`;
	return `cannot listen on ${place} (${refusal})`;
}

function isForAll(host: string): boolean {
	return host === "0.0.0.0" || host === "::" || host === "";
}

/** Binds a port and releases it. Resolves with the error code of the system, or with undefined if the port is free. */
function tryPort(host: string, port: number): Promise<string | undefined> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
		server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
	});
}

/** Resolves with true if the program on an occupied port answers health checks as this service does. */
function isService({ address: { host, port, use_ssl: tls } }: NamedListener): Promise<boolean> {
	const target = { host: isForAll(host) ? "localhost" : host, port, path: "/health/live", timeout: answerTimeoutMs, agent: false as const };
	return new Promise((resolve) => {
		// The certificate is not verified: no data is sent, and the answer only shows whether a service is running.
		const request = tls ? requestTls({ ...target, rejectUnauthorized: false }) : requestPlain(target);
		request.once("response", async (response) => {
			let text = "";
			for await (const piece of response) text += String(piece).slice(0, 100);
			resolve(text.includes('"live"'));
		});
		request.once("timeout", () => request.destroy(new Error("no answer")));
		request.once("error", () => resolve(false));
		request.end();
	});
}
