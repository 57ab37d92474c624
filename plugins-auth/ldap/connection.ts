import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Client, Entry, SearchResult as LdaptsResult } from "ldapts";
import type { Logger } from "../../core/contract/index.ts";
import { isSizeLimit } from "./directory-failure.ts";
import { type Server, toUrl } from "./server.ts";
import type { Scope } from "./settings.ts";
import { type TlsSettings, toTlsOptions } from "./tls-settings.ts";

/** Exports of the package `ldapts`, which is loaded when the backend starts. */
export type Ldapts = typeof import("ldapts");

/** Settings shared by all connections of one sign-in. */
export interface ConnectionContext {
	readonly ldapts: Ldapts;
	readonly tls: TlsSettings;
	/** Milliseconds to wait for each response. */
	readonly timeout: number;
	/** Logger for every LDAP call and its result; undefined if they are not logged. */
	readonly trace: Logger | undefined;
	readonly signal: AbortSignal;
}

export interface SearchQuery {
	readonly base: string;
	readonly scope: Scope;
	readonly filter: string;
	readonly attributes: readonly string[];
	/** Maximum seconds that the server may take. */
	readonly timeLimit: number;
	/** True if a size limit of the server may make the result incomplete. Default false: the search fails. */
	readonly allowsCut?: boolean;
}

export interface SearchResult {
	readonly entries: readonly Entry[];
	/** Referral URLs at which the search must continue. */
	readonly references: readonly string[];
	/** True if a size limit of the server omitted further entries. */
	readonly isCut: boolean;
}

/** Entries per page of a paged search (RFC 2696). Small, because servers refuse pages that exceed their own limit. */
const pageSize = 50;
/** Maximum entries of one search. A larger result means that the filter or the directory is misconfigured. */
const maxEntries = 20_000;

/** A connection to one server, encrypted as `Server.encryption` requires. It never reconnects. */
export interface Connection {
	bind(dn: string, password: string): Promise<void>;
	search(query: SearchQuery): Promise<SearchResult>;
}

const startTls = "1.3.6.1.4.1.1466.20037";

/** Opens a connection, uses it and always closes it. */
export async function withConnection<R>(
	server: Server,
	context: ConnectionContext,
	use: (connection: Connection) => Promise<R>,
): Promise<R> {
	context.signal.throwIfAborted();
	const socket = connectTcp({ host: server.host, port: server.port, noDelay: true });
	const wait = createWait(socket, server, context);
	let secured: Socket | undefined;
	try {
		// A socket error while no call waits must not end the process.
		socket.on("error", ignore);
		await wait("connect", {}, () => once(socket, "connect"));
		if (server.encryption !== "none") secured = await secure(socket, server, { wait, context });
		const client = createClient(secured ?? socket, context);
		const result = await use(toConnection(client, wait));
		await unbind(client, socket, context);
		return result;
	} finally {
		secured?.on("error", ignore).destroy();
		socket.on("error", ignore).destroy();
	}
}

function toConnection(client: Client, wait: Wait): Connection {
	return {
		bind: (dn, password) => wait("bind", { dn }, () => client.bind(dn, password)),
		search: (query) => searchInPages(client, wait, query),
	};
}

/** Reads all pages; the time limit applies to each page. */
async function searchInPages(client: Client, wait: Wait, { base, attributes, allowsCut, ...query }: SearchQuery): Promise<SearchResult> {
	const pages = client.searchPaginated(base, { ...query, attributes: [...attributes], paged: { pageSize } });
	const describe = ({ value }: IteratorResult<LdaptsResult>) =>
		value ? { entries: value.searchEntries.map(({ dn }: Entry) => dn), references: value.searchReferences } : {};
	const entries: Entry[] = [];
	const references: string[] = [];
	for (;;) {
		let page: IteratorResult<LdaptsResult>;
		try {
			page = await wait("search", { base, ...query }, () => pages.next(), describe);
		} catch (error) {
			if (allowsCut !== true || !isSizeLimit(error)) throw error;
			return { entries, references, isCut: true };
		}
		if (page.done === true) return { entries, references, isCut: false };
		// Exclude the root entry of the server, whose name is empty: a bind with an empty name would be anonymous and succeed.
		entries.push(...page.value.searchEntries.filter(({ dn }) => dn !== ""));
		references.push(...page.value.searchReferences);
		if (entries.length > maxEntries) throw new Error(`more than ${maxEntries} entries match`);
	}
}

async function secure(socket: Socket, server: Server, { wait, context }: { wait: Wait; context: ConnectionContext }): Promise<Socket> {
	if (server.encryption === "tls") {
		// Use a separate client before TLS, so that responses injected into the unencrypted connection are never read after the switch.
		const client = createClient(socket, context);
		await wait("starttls", {}, () => client.exop(startTls)).catch((error: unknown) => {
			throw new Error("the directory server does not support StartTLS", { cause: error });
		});
		socket.removeAllListeners("data").removeAllListeners("readable");
	}
	const secured = connectTls({ socket, ...toTlsOptions(server.host, context.tls) });
	secured.on("error", ignore);
	await wait("tls handshake", {}, () => once(secured, "secureConnect"));
	return secured;
}

/** Sends an unbind request, which closes the connection. Ignores errors: the caller destroys the socket anyway. */
async function unbind(client: Client, socket: Socket, { timeout, trace }: ConnectionContext): Promise<void> {
	trace?.info("ldap call", { call: "unbind" });
	const timer = setTimeout(() => socket.destroy(), timeout);
	await client.unbind().catch(ignore);
	clearTimeout(timer);
}

/**
 * Creates a client that uses only this connected socket. A client with its own socket would reconnect after a loss and send passwords
 * without TLS.
 */
function createClient(socket: Socket, { ldapts }: ConnectionContext): Client {
	let isTaken = false;
	return new ldapts.Client({
		url: "ldap://localhost",
		createConnection: () => {
			if (isTaken) throw new Error("the directory server closed the connection");
			isTaken = true;
			readInPieces(socket);
			return socket;
		},
	});
}

/**
 * Reads the socket in chunks of at most 4,096 bytes. The client recurses once for each message in a chunk, so a large chunk of small
 * messages would overflow the stack.
 */
function readInPieces(socket: Socket): void {
	const largest = 4_096;
	socket.on("readable", () => {
		// Each `read` also emits a `data` event, which the client handles.
		while (socket.read(Math.min(largest, socket.readableLength)) !== null);
	});
}

/** Waits for a response and logs it. Rejects on the timeout, when the sign-in is aborted, and when the connection closes. */
type Wait = <R>(
	call: string,
	fields: Readonly<Record<string, unknown>>,
	ask: () => Promise<R>,
	describe?: (result: R) => Readonly<Record<string, unknown>>,
) => Promise<R>;

function createWait(socket: Socket, server: Server, { timeout, trace, signal }: ConnectionContext): Wait {
	return async (call, fields, ask, describe) => {
		const about = { server: toUrl(server), call, ...fields };
		trace?.info("ldap call", about);
		const controller = new AbortController();
		const fail = (reason: unknown) => controller.abort(reason);
		const onAbort = () => fail(signal.reason);
		const onClose = () => fail(new Error(`${call}: the directory server closed the connection`));
		const timer = setTimeout(() => fail(new Error(`${call}: no answer within ${timeout / 1_000} s`)), timeout);
		signal.addEventListener("abort", onAbort, { once: true });
		socket.once("close", onClose);
		try {
			signal.throwIfAborted();
			const result = await Promise.race([ask(), rejectOnAbort(controller.signal)]);
			trace?.info("ldap result", { ...about, ...describe?.(result) });
			return result;
		} catch (error) {
			trace?.info("ldap failure", { ...about, error });
			throw error;
		} finally {
			clearTimeout(timer);
			signal.removeEventListener("abort", onAbort);
			socket.off("close", onClose);
		}
	};
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
	return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

function ignore(): void {}
