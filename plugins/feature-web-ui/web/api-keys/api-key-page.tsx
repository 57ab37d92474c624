import { useSignal } from "@preact/signals";
import { type ApiKeyRecord, escapeControlCharacters } from "../../../_shipped/client.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { attempt, notices } from "../kit/notices.ts";
import type { PageProps } from "../kit/page.ts";
import { type Resource, useResource } from "../kit/resource.ts";
import { addressBar, toHref } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { Confirm, Dialog } from "../parts/confirm.tsx";
import { Expiry } from "../parts/expiry.tsx";
import { Fact } from "../parts/fact.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import { keyMembers, toKeyInput } from "./key-form.ts";

interface KeyProps {
	readonly apiKey: ApiKeyRecord;
	readonly resource: Resource<ApiKeyRecord>;
}

/** Shows one API key, without its secret value. */
export function Page({ values: { id = "" } }: PageProps) {
	const resource = useResource((signal) => client.apiKeys.get(id, { signal }), [id]);
	return (
		<Loaded resource={resource} title="API key">
			{(found) => (
				<>
					<div class="page-head">
						<h1>API key of {escapeControlCharacters(found.user)}</h1>
						<KeyActions apiKey={found} resource={resource} />
					</div>
					<KeyFacts apiKey={found} />
					<section class="card">
						<h2>What for</h2>
						<JsonTree value={found.metadata} />
					</section>
					<section class="card">
						<h2>Scopes</h2>
						{found.scopes === null ? <p>All that its user may do.</p> : <Scopes scopes={found.scopes} />}
					</section>
				</>
			)}
		</Loaded>
	);
}

function Scopes({ scopes }: { readonly scopes: readonly string[] }) {
	if (scopes.length === 0) return <p>None: it may do nothing.</p>;
	return (
		<ul class="held">
			{scopes.map((scope) => (
				<li key={scope} class="mono">
					{escapeControlCharacters(scope)}
				</li>
			))}
		</ul>
	);
}

function KeyFacts({ apiKey: { id, user, enabled, created_at, last_used_at, expires_at } }: Pick<KeyProps, "apiKey">) {
	return (
		<dl class="facts">
			<Fact name="State">
				<StatusBadge status={enabled ? "enabled" : "disabled"} />
			</Fact>
			<Fact name="Whose">
				{session.may("api_key_list") ? (
					<a href={toHref("/apikeys", { user })}>{escapeControlCharacters(user)}</a>
				) : (
					escapeControlCharacters(user)
				)}
			</Fact>
			<Fact name="Made">
				<Ago at={created_at} />
			</Fact>
			<Fact name="Last used">
				<Ago at={last_used_at ?? undefined} />
			</Fact>
			<Fact name="Expires">{expires_at === null ? "never" : <Expiry at={expires_at} />}</Fact>
			<Fact name="Id">
				<span class="mono">{id}</span>
			</Fact>
		</dl>
	);
}

function KeyActions({ apiKey, resource }: KeyProps) {
	const { id, enabled } = apiKey;
	const asked = useSignal<"change" | "delete" | undefined>(undefined);
	const onClose = () => (asked.value = undefined);
	const turn = async () => resource.set(await client.apiKeys.update(id, { enabled: !enabled }));
	const remove = () =>
		attempt(async () => {
			await client.apiKeys.remove(id);
			addressBar.go("/apikeys");
		}, "The key is deleted");
	return (
		<>
			{session.may("api_key_modify") && (
				<>
					<button type="button" onClick={() => void attempt(turn, enabled ? "The key is disabled" : "The key is enabled")}>
						{enabled ? "Disable" : "Enable"}
					</button>
					<button type="button" onClick={() => (asked.value = "change")}>
						Change …
					</button>
				</>
			)}
			{session.may("api_key_delete") && (
				<button type="button" class="danger" onClick={() => (asked.value = "delete")}>
					Delete …
				</button>
			)}
			{asked.value === "change" && <ChangeDialog apiKey={apiKey} resource={resource} onClose={onClose} />}
			{asked.value === "delete" && (
				<Confirm title="Delete this key?" action="Delete" isDangerous onConfirm={() => void remove()} onClose={onClose}>
					<p>Whoever uses it is refused from then on.</p>
				</Confirm>
			)}
		</>
	);
}

function ChangeDialog({ apiKey: { id, metadata, expires_at, scopes }, resource, onClose }: KeyProps & { readonly onClose: () => void }) {
	return (
		<Dialog title="Change the key" onClose={onClose}>
			<SchemaForm
				schema={keyMembers}
				proposed={{ metadata, expires_at, scopes }}
				action="Change"
				onSubmit={async (values) => {
					resource.set(await client.apiKeys.update(id, toKeyInput(values)));
					notices.say("The key is changed");
					onClose();
				}}
				onCancel={onClose}
			/>
		</Dialog>
	);
}
