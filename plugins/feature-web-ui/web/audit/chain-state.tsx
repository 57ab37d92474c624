import { useSignal } from "@preact/signals";
import { type AuditReportRecord, escapeControlCharacters } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";
import { Fact } from "../parts/fact.tsx";
import { Fault } from "../parts/fault.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { TextWithCode } from "../parts/text-with-code.tsx";
import { Ago } from "../parts/time.tsx";
import * as texts from "../texts/audit.ts";

/** Shows up to which entry the audit chain is signed. Verifying the chain reads all entries, so it runs only on request. */
export function ChainState() {
	const checkpoints = useResource((signal) => client.audit.checkpoints({ signal }), []);
	const report = useSignal<AuditReportRecord | Error | undefined>(undefined);
	const isVerifying = useSignal(false);
	const verify = async () => {
		isVerifying.value = true;
		try {
			report.value = await client.audit.report();
		} catch (error) {
			report.value = error instanceof Error ? error : new Error(String(error));
		} finally {
			isVerifying.value = false;
		}
	};
	return (
		<section class="card">
			<h2>{texts.integrity}</h2>
			<Loaded resource={checkpoints}>{(signed) => <Signed last={signed.at(-1)} />}</Loaded>
			<p>
				<button type="button" disabled={isVerifying.value} onClick={() => void verify()}>
					{isVerifying.value ? texts.verifying : texts.verify}
				</button>
			</p>
			<div role="status">{report.value !== undefined && <Report report={report.value} />}</div>
			<p class="faint">
				<TextWithCode text={texts.checkpointStep} />
			</p>
		</section>
	);
}

function Signed({ last }: { readonly last: { readonly number: number; readonly timestamp: string } | undefined }) {
	if (last === undefined) return <p>{texts.nothingSigned}</p>;
	return (
		<dl class="facts">
			<Fact name={texts.signedEntry}>{last.number}</Fact>
			<Fact name={texts.signedAt}>
				<Ago at={last.timestamp} />
			</Fact>
		</dl>
	);
}

function Report({ report }: { readonly report: AuditReportRecord | Error }) {
	if (report instanceof Error) return <Fault error={report} />;
	const { entries, checkpoints, keys, findings, findings_total } = report;
	const compared = texts.compared(entries, checkpoints);
	if (findings_total === 0) return <p>{texts.intact(compared, keys)}</p>;
	return (
		<>
			<p class="bad-text">{texts.changed(compared)}</p>
			<ul>
				{findings.map(({ number, problem }) => (
					<li key={`${number} ${problem}`}>{escapeControlCharacters(problem)}</li>
				))}
			</ul>
			{findings_total > findings.length && <p>{texts.notShown(findings_total - findings.length)}</p>}
		</>
	);
}
