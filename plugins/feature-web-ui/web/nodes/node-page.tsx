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
			isDrained ? "It takes on nothing new, and is drained once what runs there has ended" : "It takes on work again",
		);
	if (drain)
		return (
			<button type="button" class="primary" onClick={() => void ask(false)}>
				Take on work again
			</button>
		);
	return (
		<>
			<button type="button" onClick={() => (isAsked.value = true)}>
				Drain …
			</button>
			{isAsked.value && (
				<Confirm
					title={`Drain ${name}?`}
					action="Drain"
					isDangerous
					onConfirm={() => void ask(true)}
					onClose={() => (isAsked.value = false)}
				>
					<p>It takes on nothing new; what runs there goes on to its end. Where it is the only node that runs executions, new ones wait.</p>
				</Confirm>
			)}
		</>
	);
}

function NodeFacts({ node }: Pick<NodeProps, "node">) {
	const { state, roles, hostname, pid, version, started_at, heartbeat_at, running, late_writes, clock_offset, event_bus, addresses } = node;
	return (
		<dl class="facts">
			<Fact name="State">
				<StatusBadge status={state} />
			</Fact>
			<Fact name="Does">{roles.join(", ")}</Fact>
			<Fact name="Runs">{running}</Fact>
			<Fact name="Since">
				<Ago at={started_at} />
			</Fact>
			<Fact name="Last seen">
				<Ago at={heartbeat_at} />
			</Fact>
			<Fact name="Host">{escapeControlCharacters(hostname)}</Fact>
			<Fact name="Process">{pid}</Fact>
			<Fact name="Version">{escapeControlCharacters(version)}</Fact>
			<Fact name="Event bus">{escapeControlCharacters(event_bus)}</Fact>
			{clock_offset !== null && <Fact name="Clock, against the storage's">{`${clock_offset.toFixed(3)} s`}</Fact>}
			{late_writes > 0 && <Fact name="Writes refused as too late">{late_writes}</Fact>}
			{Object.entries(addresses).map(([component, address]) => (
				<Fact key={component} name={`Address of ${component}`}>
					<code>{escapeControlCharacters(String(address))}</code>
				</Fact>
			))}
		</dl>
	);
}
