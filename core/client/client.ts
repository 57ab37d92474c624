import type { OutputType } from "../contract/index.ts";
import { createKeyClient, type KeyClient } from "../features/datastore/client.ts";
import { type FollowOptions, followOutput, openEvents } from "../features/executions/follow-output.ts";
import { createInquiryClient, type InquiryClient } from "../features/inquiries/client.ts";
import { createNodeClient, type NodeClient } from "../features/nodes/client.ts";
import { type ConfigClient, createConfigClient } from "../features/packs/client.ts";
import { createPolicyClient, type PolicyClient } from "../features/policies/client.ts";
import { createPurgeClient, type PurgeClient } from "../features/retention/client.ts";
import { createRuleClient, type RuleClient } from "../features/rules/client.ts";
import { createSensorClient, type SensorClient } from "../features/sensors/client.ts";
import { createTimerClient, type TimerClient } from "../features/timers/client.ts";
import { createTriggerClient, type TriggerClient } from "../features/triggers/client.ts";
import { createWebhookClient, type WebhookClient } from "../features/webhooks/client.ts";
import { type Addresses, resolveAddresses } from "./addresses.ts";
import type { Api } from "./api.ts";
import type {
	ActionRecord,
	ApiKeyInput,
	ApiKeyRecord,
	ExecutionInput,
	ExecutionRecord,
	ListPage,
	ListQuery,
	NewApiKeyRecord,
	OutputChunkRecord,
	RerunRequest,
	RoleAssignmentRecord,
	RoleRecord,
	RunnerTypeRecord,
	StreamEventRecord,
	TokenRecord,
	UserRecord,
} from "./records.ts";
import { faultOf, type RequestListener, type RequestOptions, readJson, request } from "./request.ts";

/** Where the service is, and the credential that requests carry. */
export interface ClientOptions extends Partial<Addresses> {
	/** From `signIn`. Only one of token and API key may be given. */
	readonly token?: string | undefined;
	readonly apiKey?: string | undefined;
	readonly onRequest?: RequestListener | undefined;
}

interface Waiting {
	readonly signal?: AbortSignal | undefined;
}

/** The HTTP API in types. Every method throws `SvcError`; `SVC_UNAVAILABLE` when the service cannot be reached. */
export interface Client {
	readonly addresses: Addresses;
	/** Exchange a password for a token. Give it to a new client; this one stays as it is. */
	signIn(
		credentials: { readonly username: string; readonly password: string },
		options?: { readonly ttl?: number | undefined } & Waiting,
	): Promise<TokenRecord>;
	/** Who the credential belongs to. */
	user(options?: Waiting): Promise<UserRecord>;
	readonly executions: {
		create(input: ExecutionInput, options?: Waiting): Promise<ExecutionRecord>;
		/** By id, or `last` for the most recently scheduled one. */
		get(id: string, options?: { readonly query?: ListQuery } & Waiting): Promise<ExecutionRecord>;
		list(query?: ListQuery, options?: Waiting): Promise<ListPage<ExecutionRecord>>;
		/** Ask for the end of an execution; `refused` says why that is no longer possible. */
		cancel(id: string, options?: Waiting): Promise<{ readonly refused?: string }>;
		rerun(id: string, input: RerunRequest, options?: Waiting): Promise<ExecutionRecord>;
		/** The output so far, as one text. */
		output(id: string, options?: { readonly type?: OutputType } & Waiting): Promise<string>;
	};
	readonly inquiries: InquiryClient;
	readonly actions: {
		get(refOrId: string, options?: Waiting): Promise<ActionRecord>;
		list(query?: ListQuery, options?: Waiting): Promise<ListPage<ActionRecord>>;
	};
	readonly runnerTypes: {
		get(nameOrId: string, options?: Waiting): Promise<RunnerTypeRecord>;
		list(query?: ListQuery, options?: Waiting): Promise<ListPage<RunnerTypeRecord>>;
	};
	readonly apiKeys: {
		/** By id, or by the key itself. */
		get(idOrKey: string, options?: Waiting): Promise<ApiKeyRecord>;
		list(query?: ListQuery, options?: Waiting): Promise<ListPage<ApiKeyRecord>>;
		create(input: ApiKeyInput, options?: Waiting): Promise<NewApiKeyRecord>;
		/** What is not given stays. */
		update(idOrKey: string, input: ApiKeyInput, options?: Waiting): Promise<ApiKeyRecord>;
		remove(idOrKey: string, options?: Waiting): Promise<void>;
	};
	readonly roles: {
		list(query?: ListQuery, options?: Waiting): Promise<ListPage<RoleRecord>>;
	};
	readonly roleAssignments: {
		get(id: string, options?: Waiting): Promise<RoleAssignmentRecord>;
		list(query?: ListQuery, options?: Waiting): Promise<ListPage<RoleAssignmentRecord>>;
	};
	readonly webhooks: WebhookClient;
	readonly rules: RuleClient;
	readonly policies: PolicyClient;
	readonly triggers: TriggerClient;
	readonly timers: TimerClient;
	readonly sensors: SensorClient;
	readonly keys: KeyClient;
	readonly configs: ConfigClient;
	readonly purge: PurgeClient["purge"];
	readonly nodes: NodeClient;
	/** Output of one execution as it arrives, from the first chunk (or behind `after`) to the end, over lost connections. */
	followOutput(id: string, options?: FollowOptions): AsyncIterable<OutputChunkRecord>;
	/** Events of the general stream from now on: `events` is a comma list of names, in which `*` stands for anything. */
	stream(query?: ListQuery, options?: Waiting): AsyncIterable<StreamEventRecord>;
}

/** A client of the service at an address. */
export function createClient(options: ClientOptions = {}): Client {
	const addresses = resolveAddresses(options);
	const headers: Record<string, string> = {
		...(options.token === undefined ? {} : { "x-auth-token": options.token }),
		...(options.apiKey === undefined ? {} : { "svc-api-key": options.apiKey }),
	};
	const api = (path: string, init: RequestOptions = {}) => request(`${addresses.apiUrl}${path}`, { headers, ...init }, options.onRequest);
	const read = async <T>(path: string, init?: RequestOptions) => readJson<T>(await api(path, init));
	const list = async <T>(path: string, query: ListQuery = {}, waiting: Waiting = {}) => toPage<T>(await api(path, { query, ...waiting }));
	const at = encodeURIComponent;
	const parts: Api = { call: api, read, list };

	return {
		addresses,
		async signIn({ username, password }, { ttl, signal } = {}) {
			const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
			const body = ttl === undefined ? {} : { ttl };
			const response = await request(
				`${addresses.authUrl}/tokens`,
				{ method: "POST", headers: { authorization }, body, signal },
				options.onRequest,
			);
			return readJson<TokenRecord>(response);
		},
		user: (waiting) => read("/user", waiting),
		executions: {
			create: (body, waiting) => read("/executions", { method: "POST", body, ...waiting }),
			get: (id, waiting) => read(`/executions/${at(id)}`, waiting),
			list: (query, waiting) => list("/executions", query, waiting),
			async cancel(id, waiting) {
				const refused = faultOf(await (await api(`/executions/${at(id)}`, { method: "DELETE", ...waiting })).text());
				return refused === undefined ? {} : { refused };
			},
			rerun: (id, body, waiting) => read(`/executions/${at(id)}/re_run`, { method: "POST", body, ...waiting }),
			async output(id, { type, signal } = {}) {
				return (await api(`/executions/${at(id)}/output`, { query: { output_type: type }, signal })).text();
			},
		},
		actions: {
			get: (ref, waiting) => read(`/actions/${at(ref)}`, waiting),
			list: (query, waiting) => list("/actions", query, waiting),
		},
		runnerTypes: {
			get: (name, waiting) => read(`/runnertypes/${at(name)}`, waiting),
			list: (query, waiting) => list("/runnertypes", query, waiting),
		},
		apiKeys: {
			get: (key, waiting) => read(`/apikeys/${at(key)}`, waiting),
			list: (query, waiting) => list("/apikeys", query, waiting),
			create: (body, waiting) => read("/apikeys", { method: "POST", body, ...waiting }),
			update: (key, body, waiting) => read(`/apikeys/${at(key)}`, { method: "PUT", body, ...waiting }),
			async remove(key, waiting) {
				await api(`/apikeys/${at(key)}`, { method: "DELETE", ...waiting });
			},
		},
		roles: { list: (query, waiting) => list("/rbac/roles", query, waiting) },
		roleAssignments: {
			get: (id, waiting) => read(`/rbac/role_assignments/${at(id)}`, waiting),
			list: (query, waiting) => list("/rbac/role_assignments", query, waiting),
		},
		inquiries: createInquiryClient(parts),
		webhooks: createWebhookClient(parts),
		rules: createRuleClient(parts),
		policies: createPolicyClient(parts),
		triggers: createTriggerClient(parts),
		timers: createTimerClient(parts),
		sensors: createSensorClient(parts),
		keys: createKeyClient(parts),
		configs: createConfigClient(parts),
		...createPurgeClient(parts),
		nodes: createNodeClient(parts),
		followOutput: (id, follow = {}) => followOutput(`${addresses.streamUrl}/executions/${at(id)}/output`, headers, follow),
		stream: (query = {}, waiting = {}) => stream(`${addresses.streamUrl}/stream`, { query, headers, ...waiting }),
	};
}

async function toPage<T>(response: Response): Promise<ListPage<T>> {
	const count = (header: string) => {
		const value = response.headers.get(header);
		return value === null ? undefined : Number(value);
	};
	return { items: await readJson<T[]>(response), total: count("x-total-count"), limit: count("x-limit") };
}

async function* stream(url: string, options: RequestOptions): AsyncGenerator<StreamEventRecord> {
	try {
		for await (const { name, data } of openEvents(url, options)) yield { name, data: data === "" ? null : JSON.parse(data) };
	} catch (error) {
		if (!options.signal?.aborted) throw error;
	}
}
