import { useSignal } from "@preact/signals";
import { escapeControlCharacters, type SingleNodeRecord } from "../../../_shipped/client.ts";
import { attempt } from "../kit/notices.ts";
import type { PageProps } from "../kit/page.ts";
import { type Resource, useRepeated, useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";
import { Confirm } from "../parts/confirm.tsx";
import { Fact } from "../parts/fact.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/nodes.ts";
import { RunningExecutions } from "./running-executions.tsx";

const every = 5_000;

/** Shows one node: its roles and state, and the executions that it runs. */
export function Page({ values: { id = "" } }: PageProps) {
	const resource = useRepeated(
		useResource((signal) => client.nodes.get(id, { signal }), [id]),
		every,
	);
	return (
		<Loaded resource={resource} title={id}>
			{(node) => (
				<>
					<div class="page-head">
						<h1>{escapeControlCharacters(node.name)}</h1>
						<NodeActions node={node} resource={resource} />
					</div>
					<NodeFacts node={node} />
					<RunningExecutions executions={node.executions} />
				</>
			)}
		</Loaded>
	);
}

interface NodeProps {
	readonly node: SingleNodeRecord;
	readonly resource: Resource<SingleNodeRecord>;
}

function NodeActions({ node: { id, name, drain, state }, resource }: NodeProps) {
	const isAsked = useSignal(false);
	if (state === "gone") return null;
	const ask = (isDrained: boolean) =>
		attempt(
			async () => {
				await (isDrained ? client.nodes.drain(id) : client.nodes.resume(id));
				await resource.reload();
			},
			isDrained ? texts.draining : texts.resumed,
		);
	if (drain)
		return (
			<button type="button" class="primary" onClick={() => void ask(false)}>
				{texts.resume}
			</button>
		);
	return (
		<>
			<button type="button" onClick={() => (isAsked.value = true)}>
				{texts.drainOne}
			</button>
			{isAsked.value && (
				<Confirm
					title={texts.drainNamed(name)}
					action={texts.drain}
					isDangerous
					onConfirm={() => void ask(true)}
					onClose={() => (isAsked.value = false)}
				>
					<p>{texts.drainWarning}</p>
				</Confirm>
			)}
		</>
	);
}

function NodeFacts({ node }: Pick<NodeProps, "node">) {
	const { state, roles, hostname, pid, version, started_at, heartbeat_at, running, late_writes, clock_offset, event_bus, addresses } = node;
	return (
		<dl class="facts">
			<Fact name={common.state}>
				<StatusBadge status={state} />
			</Fact>
			<Fact name={common.roles}>{roles.join(", ")}</Fact>
			<Fact name={texts.running}>{running}</Fact>
			<Fact name={common.started}>
				<Ago at={started_at} />
			</Fact>
			<Fact name={texts.lastSeen}>
				<Ago at={heartbeat_at} />
			</Fact>
			<Fact name={texts.host}>{escapeControlCharacters(hostname)}</Fact>
			<Fact name={texts.process}>{pid}</Fact>
			<Fact name={common.version}>{escapeControlCharacters(version)}</Fact>
			<Fact name={texts.eventBus}>{escapeControlCharacters(event_bus)}</Fact>
			{clock_offset !== null && <Fact name={texts.clockOffsetFromStorage}>{texts.seconds(clock_offset)}</Fact>}
			{late_writes > 0 && <Fact name={texts.staleWrites}>{late_writes}</Fact>}
			{Object.entries(addresses).map(([component, address]) => (
				<Fact key={component} name={texts.addressOf(component)}>
					<code>{escapeControlCharacters(String(address))}</code>
				</Fact>
			))}
		</dl>
	);
}
