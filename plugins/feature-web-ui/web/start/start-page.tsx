import type { ComponentChildren } from "preact";
import { type ExecutionRecord, escapeControlCharacters } from "../../../_shipped/client.ts";
import { ExecutionTable } from "../executions/execution-table.tsx";
import { NothingYet } from "../executions/nothing-yet.tsx";
import { useResource } from "../kit/resource.ts";
import { toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { isFailure } from "../parts/status-badge.tsx";
import { TextWithCode } from "../parts/text-with-code.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/start.ts";
import { Trends } from "./trends.tsx";

/** Maximum number of runs in each section; a link leads to the full list. */
const maxExecutions = 8;
const shown = "id,status,start_timestamp,end_timestamp,action.ref,context.user,rule.ref,parent";
const failures = ["failed", "timeout", "abandoned"];
const waiting = ["delayed", "paused", "pending"] as const;

/** Shows the start page: running executions, recent failures and inquiries that wait for an answer. */
export function Page() {
	const mayList = session.may("execution_list");
	return (
		<>
			<div class="page-head">
				<h1>{common.start}</h1>
			</div>
			<OpenAccess />
			{session.may("inquiry_list") && <WaitingInquiries />}
			{mayList ? (
				<>
					<Running />
					<Failed />
					<Trends />
				</>
			) : (
				<Empty title={texts.mayNotList} step={texts.mayNotListStep} />
			)}
		</>
	);
}

/** Warns that access control is off and explains how to turn it on. */
function OpenAccess() {
	const user = session.user.value;
	if (user === undefined || user.rbac.enabled) return null;
	const isSignInOff = user.authentication.method === "none";
	return (
		<section class="card waiting" aria-label={texts.accessControlIsOff}>
			<strong>{isSignInOff ? texts.everyVisitor : texts.everyUser}</strong> {isSignInOff && <TextWithCode text={texts.signInStep} />}
			<TextWithCode text={texts.accessControlStep} />
		</section>
	);
}

function Running() {
	const state = useResource((signal) => readState(signal), [], { isTouched: ({ name }) => name.startsWith("svc.execution__") });
	return (
		<Loaded resource={state}>
			{({ running, counts, hasAny }) => (
				<>
					<dl class="facts start-counts">
						<Count name={texts.running} status="running" count={running.total ?? running.items.length} />
						{waiting.map((status, index) => (
							<Count key={status} name={texts.waiting[status]} status={status} count={counts[index] ?? 0} />
						))}
					</dl>
					{!hasAny && <NothingYet />}
					{hasAny && (
						<Section title={texts.runningNow} href={toHref("/history", { status: "running" })}>
							{running.items.length === 0 ? (
								<p class="faint">{texts.nothingRuns}</p>
							) : (
								<ExecutionTable label={texts.runningNow} runs={running.items} />
							)}
						</Section>
					)}
				</>
			)}
		</Loaded>
	);
}

function Failed() {
	const failed = useResource((signal) => readFailed(signal), [], { isTouched: ({ data }) => hasFailed(data) });
	return (
		<Loaded resource={failed}>
			{(runs) =>
				runs.length > 0 && (
					<Section title={texts.recentFailures} href={toHref("/history", { status: "failed" })}>
						<ExecutionTable label={texts.recentFailures} runs={runs} />
					</Section>
				)
			}
		</Loaded>
	);
}

function Section({ title, href, children }: { readonly title: string; readonly href: string; readonly children: ComponentChildren }) {
	return (
		<section class="start-section">
			<div class="start-head">
				<h2>{title}</h2>
				<a href={href} aria-label={common.allOf(title)}>
					{common.all}
				</a>
			</div>
			{children}
		</section>
	);
}

function Count({ name, status, count }: { readonly name: string; readonly status: string; readonly count: number }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd>
				<a class="number" href={toHref("/history", { status })}>
					{count.toLocaleString("en")}
				</a>
			</dd>
		</div>
	);
}

async function readState(signal: AbortSignal) {
	const query = { include_attributes: shown, parent: "null", sort_desc: "timestamp" };
	const list = (more: object) => client.executions.list({ ...query, ...more }, { signal });
	const [running, any, ...others] = await Promise.all([
		list({ status: "running", limit: session.toLimit(maxExecutions) }),
		list({ limit: 1 }),
		...waiting.map((status) => list({ status, limit: 1 })),
	]);
	return { running, hasAny: any.items.length > 0, counts: others.map(({ total = 0 }) => total) };
}

/** Returns the newest executions that failed, timed out or were abandoned. */
async function readFailed(signal: AbortSignal): Promise<readonly ExecutionRecord[]> {
	const query = { include_attributes: shown, parent: "null", sort_desc: "timestamp", limit: session.toLimit(maxExecutions) };
	const lists = await Promise.all(failures.map((status) => client.executions.list({ ...query, status }, { signal })));
	const newestFirst = lists.flatMap(({ items }) => items).sort((a, b) => (a.start_timestamp < b.start_timestamp ? 1 : -1));
	return newestFirst.slice(0, maxExecutions);
}

function hasFailed(data: unknown): boolean {
	return typeof data === "object" && data !== null && "status" in data && isFailure(String(data.status));
}

/** Maximum number of inquiries in the list. */
const maxInquiries = 10;

/** Lists the inquiries that wait for an answer; those that name the user are first. */
function WaitingInquiries() {
	const inquiries = useResource(
		(signal) => client.inquiries.list({ limit: session.toLimit(maxInquiries), sort_desc: "True" }, { signal }),
		[],
		{
			isTouched: ({ data }) => typeof data === "object" && data !== null && "status" in data,
		},
	);
	const own = session.user.value?.username ?? "";
	return (
		<Loaded resource={inquiries}>
			{({ items, total = items.length }) =>
				items.length > 0 && (
					<section class="card waiting">
						<h2>{texts.waitingInquiries(total)}</h2>
						<ul>
							{[...items]
								.sort((a, b) => Number(b.users.includes(own)) - Number(a.users.includes(own)))
								.map(({ id, route, users }) => (
									<li key={id}>
										<a href={toHref(toPath("/inquiries/:id", { id }))}>{route === "" ? common.inquiry : escapeControlCharacters(route)}</a>{" "}
										<span class="mono faint">{id}</span>
										{users.includes(own) && <span class="badge warn">{texts.asksYou}</span>}
									</li>
								))}
						</ul>
					</section>
				)
			}
		</Loaded>
	);
}
