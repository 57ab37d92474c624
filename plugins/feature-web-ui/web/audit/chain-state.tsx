import { useSignal } from "@preact/signals";
import { type AuditReportRecord, escapeControlCharacters } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";
import { Fact } from "../parts/fact.tsx";
import { Fault } from "../parts/fault.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Ago } from "../parts/time.tsx";

/** Shows up to which entry the audit chain is signed. Verifying the chain reads all entries, so it runs only on request. */
export function ChainState() {
	const checkpoints = useResource((signal) => client.audit.checkpoints({ signal }), []);
	const report = useSignal<AuditReportRecord | Error | undefined>(undefined);
	const isLooking = useSignal(false);
	const look = async () => {
		isLooking.value = true;
		try {
			report.value = await client.audit.report();
		} catch (error) {
			report.value = error instanceof Error ? error : new Error(String(error));
		} finally {
			isLooking.value = false;
		}
	};
	return (
		<section class="card">
			<h2>Is it as it was written?</h2>
			<Loaded resource={checkpoints}>{(signed) => <Signed last={signed.at(-1)} />}</Loaded>
			<p>
				<button type="button" disabled={isLooking.value} onClick={() => void look()}>
					{isLooking.value ? "Looking …" : "Look"}
				</button>
			</p>
			<div role="status">{report.value !== undefined && <Report report={report.value} />}</div>
			<p class="faint">
				The service compares the record with the checkpoints that it keeps itself. One that lies elsewhere says more:{" "}
				<code>svc audit verify --checkpoint</code>
			</p>
		</section>
	);
}

function Signed({ last }: { readonly last: { readonly number: number; readonly timestamp: string } | undefined }) {
	if (last === undefined) return <p>Nothing of it is signed yet.</p>;
	return (
		<dl class="facts">
			<Fact name="Signed up to entry">{last.number}</Fact>
			<Fact name="Signed">
				<Ago at={last.timestamp} />
			</Fact>
		</dl>
	);
}

function Report({ report }: { readonly report: AuditReportRecord | Error }) {
	if (report instanceof Error) return <Fault error={report} />;
	const { entries, checkpoints, keys, findings, findings_total } = report;
	const compared = `${entries} entries, compared with ${checkpoints} ${checkpoints === 1 ? "checkpoint" : "checkpoints"}`;
	if (findings_total === 0)
		return (
			<p>
				It is as it was written: {compared}
				{keys.length > 0 && `, signed by ${keys.join(", ")}`}.
			</p>
		);
	return (
		<>
			<p class="bad-text">It is not as it was written: {compared}.</p>
			<ul>
				{findings.map(({ number, problem }) => (
					<li key={`${number} ${problem}`}>{escapeControlCharacters(problem)}</li>
				))}
			</ul>
			{findings_total > findings.length && <p>{findings_total - findings.length} more are not shown.</p>}
		</>
	);
}
