import { useSignal } from "@preact/signals";
import { escapeControlCharacters, type PolicyRecord } from "../../../_shipped/client.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { attempt, notices } from "../kit/notices.ts";
import type { PageProps } from "../kit/page.ts";
import { type Resource, useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { Confirm, Dialog } from "../parts/confirm.tsx";
import { Fact } from "../parts/fact.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { RecordHead } from "../parts/record-head.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/policies.ts";
import { policyMembers, toPolicyRequest } from "./policy-form.ts";

interface PolicyProps {
	readonly policy: PolicyRecord;
	readonly resource: Resource<PolicyRecord>;
}

/** Shows one policy: the action that it applies to, and its parameters. */
export function Page({ values: { ref = "" } }: PageProps) {
	const resource = useResource(() => client.policies.get(ref), [ref]);
	return (
		<Loaded resource={resource} title={ref}>
			{(policy) => (
				<>
					<Head policy={policy} resource={resource} />
					<section class="card">
						<h2>{common.parameters}</h2>
						<JsonTree value={policy.parameters} />
					</section>
				</>
			)}
		</Loaded>
	);
}

function Head({ policy, resource }: PolicyProps) {
	const { pack, resource_ref, policy_type } = policy;
	return (
		<RecordHead record={policy} actions={<PolicyActions policy={policy} resource={resource} />}>
			<Fact name={common.action}>
				{resource_ref.endsWith("*") ? (
					escapeControlCharacters(resource_ref)
				) : (
					<a href={toHref(toPath("/actions/:ref", { ref: resource_ref }))}>{escapeControlCharacters(resource_ref)}</a>
				)}
			</Fact>
			<Fact name={common.type}>{escapeControlCharacters(policy_type)}</Fact>
			<Fact name={common.pack}>
				<a href={toHref("/policies", { pack })}>{escapeControlCharacters(pack)}</a>
			</Fact>
		</RecordHead>
	);
}

function PolicyActions({ policy, resource }: PolicyProps) {
	const { ref, uid, enabled } = policy;
	const asked = useSignal<"change" | "delete" | undefined>(undefined);
	const onClose = () => (asked.value = undefined);
	const turn = async () => resource.set(await client.policies.update(ref, { ...policy, enabled: !enabled }));
	const remove = () =>
		attempt(async () => {
			await client.policies.remove(ref);
			addressBar.go("/policies");
		}, texts.deleted);
	return (
		<>
			{session.may("policy_modify", uid) && (
				<button type="button" onClick={() => void attempt(turn, enabled ? texts.disabled : texts.enabled)}>
					{enabled ? common.disable : common.enable}
				</button>
			)}
			{session.may("policy_modify", uid) && session.may("policy_type_view") && (
				<button type="button" onClick={() => (asked.value = "change")}>
					{common.changeOne}
				</button>
			)}
			{session.may("policy_delete", uid) && (
				<button type="button" class="danger" onClick={() => (asked.value = "delete")}>
					{common.removeOne}
				</button>
			)}
			{asked.value === "change" && (
				<Dialog title={common.changeNamed(ref)} onClose={onClose}>
					<ChangeForm policy={policy} resource={resource} onClose={onClose} />
				</Dialog>
			)}
			{asked.value === "delete" && (
				<Confirm title={common.removeNamed(ref)} action={common.remove} isDangerous onConfirm={() => void remove()} onClose={onClose} />
			)}
		</>
	);
}

function ChangeForm({ policy, resource, onClose }: PolicyProps & { readonly onClose: () => void }) {
	const { ref, policy_type, resource_ref, description, parameters } = policy;
	const type = useResource(() => client.policies.type(policy_type), [policy_type]);
	return (
		<Loaded resource={type}>
			{(found) => (
				<SchemaForm
					schema={{ ...policyMembers, ...found.parameters }}
					proposed={{ resource_ref, description, ...parameters }}
					action={common.change}
					onSubmit={async (values) => {
						resource.set(await client.policies.update(ref, toPolicyRequest(policy_type, values, policy)));
						notices.say(texts.changed);
						onClose();
					}}
					onCancel={onClose}
				/>
			)}
		</Loaded>
	);
}
