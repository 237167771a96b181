# PowerShell completion for zeroclaw
Register-ArgumentCompleter -Native -CommandName zeroclaw -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
    $program = $words[0]
    $given = @($words | Select-Object -Skip 1)
    if ($wordToComplete -eq '') { $given += '""' }
    $env:_ZEROCLAW_COMPLETE = 'powershell'
    try {
        & $program @given 2>$null | ForEach-Object {
            $value, $description = $_ -split "`t", 2
            if ($value -eq ':file' -or $value -eq ':dir') {
                [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
            }
            else {
                if (-not $description) { $description = $value }
                [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
            }
        }
    }
    finally {
        Remove-Item Env:\_ZEROCLAW_COMPLETE
    }
}
