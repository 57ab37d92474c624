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
import * as texts from "../texts/api-keys.ts";
import * as common from "../texts/common.ts";
import { keyMembers, toKeyInput } from "./key-form.ts";

interface KeyProps {
	readonly apiKey: ApiKeyRecord;
	readonly resource: Resource<ApiKeyRecord>;
}

/** Shows one API key, without its secret value. */
export function Page({ values: { id = "" } }: PageProps) {
	const resource = useResource((signal) => client.apiKeys.get(id, { signal }), [id]);
	return (
		<Loaded resource={resource} title={common.apiKey}>
			{(found) => (
				<>
					<div class="page-head">
						<h1>{texts.keyOf(escapeControlCharacters(found.user))}</h1>
						<KeyActions apiKey={found} resource={resource} />
					</div>
					<KeyFacts apiKey={found} />
					<section class="card">
						<h2>{texts.metadata}</h2>
						<JsonTree value={found.metadata} />
					</section>
					<section class="card">
						<h2>{texts.scopes}</h2>
						{found.scopes === null ? <p>{texts.unlimited}</p> : <Scopes scopes={found.scopes} />}
					</section>
				</>
			)}
		</Loaded>
	);
}

function Scopes({ scopes }: { readonly scopes: readonly string[] }) {
	if (scopes.length === 0) return <p>{texts.noScopes}</p>;
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
			<Fact name={common.state}>
				<StatusBadge status={enabled ? "enabled" : "disabled"} />
			</Fact>
			<Fact name={common.owner}>
				{session.may("api_key_list") ? (
					<a href={toHref("/apikeys", { user })}>{escapeControlCharacters(user)}</a>
				) : (
					escapeControlCharacters(user)
				)}
			</Fact>
			<Fact name={texts.created}>
				<Ago at={created_at} />
			</Fact>
			<Fact name={texts.lastUsed}>
				<Ago at={last_used_at ?? undefined} />
			</Fact>
			<Fact name={common.expires}>{expires_at === null ? common.never : <Expiry at={expires_at} />}</Fact>
			<Fact name={common.id}>
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
		}, texts.deleted);
	return (
		<>
			{session.may("api_key_modify") && (
				<>
					<button type="button" onClick={() => void attempt(turn, enabled ? texts.disabled : texts.enabled)}>
						{enabled ? common.disable : common.enable}
					</button>
					<button type="button" onClick={() => (asked.value = "change")}>
						{common.changeOne}
					</button>
				</>
			)}
			{session.may("api_key_delete") && (
				<button type="button" class="danger" onClick={() => (asked.value = "delete")}>
					{common.removeOne}
				</button>
			)}
			{asked.value === "change" && <ChangeDialog apiKey={apiKey} resource={resource} onClose={onClose} />}
			{asked.value === "delete" && (
				<Confirm title={texts.deleteTitle} action={common.remove} isDangerous onConfirm={() => void remove()} onClose={onClose}>
					<p>{texts.deleteWarning}</p>
				</Confirm>
			)}
		</>
	);
}

function ChangeDialog({ apiKey: { id, metadata, expires_at, scopes }, resource, onClose }: KeyProps & { readonly onClose: () => void }) {
	return (
		<Dialog title={texts.changeTitle} onClose={onClose}>
			<SchemaForm
				schema={keyMembers}
				proposed={{ metadata, expires_at, scopes }}
				action={common.change}
				onSubmit={async (values) => {
					resource.set(await client.apiKeys.update(id, toKeyInput(values)));
					notices.say(texts.changed);
					onClose();
				}}
				onCancel={onClose}
			/>
		</Dialog>
	);
}
